/** Joins class names, leaving out what is false or undefined. */
export const cx = (...names: (string | false | null | undefined)[]): string =>
  names.filter((name) => typeof name === 'string' && name !== '').join(' ');
