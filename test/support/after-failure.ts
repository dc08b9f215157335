type Describe = () => Promise<string>;

const described = new Set<Describe>();

/** Prints what `describe` resolves to when a test fails, until the returned function is called. */
export const describeOnFailure = (describe: Describe): (() => void) => {
  described.add(describe);
  return () => void described.delete(describe);
};

/** Prints what there is to know about a failed test; one description that fails hides no other. */
export const printDescriptions = async (test: string): Promise<void> => {
  for (const describe of described) {
    const text = await describe().catch((error: unknown) => `(could not be described: ${error})`);
    console.error(`When “${test}” failed:\n${text}`);
  }
};
