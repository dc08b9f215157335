/** Makes every use of a member that the rehearsal does not have an error, so that nothing is silently left out. */
export const strict = <T extends object>(name: string, members: T): T =>
  new Proxy(members, {
    get: (target, key, receiver) => {
      if (typeof key === 'symbol' || key === 'then' || key in target)
        return Reflect.get(target, key, receiver);
      // The program may catch what is thrown.
      note('unknown-call-error', { call: `${name}.${key}` });
      throw new Error(`The rehearsal does not know ${name}.${key}.`);
    },
  });

/** Prints a line of the rehearsal's journal, which tests read: what the program asked of the desktop. */
export const note = (event: string, details: Readonly<Record<string, unknown>> = {}): void => {
  process.stdout.write(`${JSON.stringify({ event, ...details })}\n`);
};
