type CleanUp = () => void | Promise<void>;

const cleanUps: CleanUp[] = [];

/** Runs `cleanUp` after the test file. Unlike vitest's `afterAll`, which does nothing there, it may be called within a test. */
export const afterFile = (cleanUp: CleanUp): void => {
  cleanUps.push(cleanUp);
};

/** Runs what `afterFile` was given, last first. */
export const cleanUpFile = async (): Promise<void> => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
};
