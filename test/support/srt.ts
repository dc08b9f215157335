export type SrtCue = { startMs: number; endMs: number; lines: string[] };

const TIMING = /^(\d{2,}):([0-5]\d):([0-5]\d),(\d{3}) --> (\d{2,}):([0-5]\d):([0-5]\d),(\d{3})$/;

/** A strict SubRip parser: counters from 1, CRLF, an empty line after each cue, no empty line inside. */
export const parseSrt = (file: string): SrtCue[] => {
  if (file === '') return [];
  if (/(?<!\r)\n|\r(?!\n)/.test(file)) throw new Error('a line end that is not CRLF');
  if (!file.endsWith('\r\n\r\n')) throw new Error('no empty line at the end');
  return file
    .slice(0, -4)
    .split('\r\n\r\n')
    .map((block, index) => {
      const [counter, timing = '', ...lines] = block.split('\r\n');
      if (counter !== String(index + 1)) throw new Error(`counter ${counter} at ${index + 1}`);
      const match = TIMING.exec(timing);
      if (match === null) throw new Error(`not a timing line: ${timing}`);
      if (lines.length === 0 || lines.some((line) => line === '' || line.includes('-->'))) {
        throw new Error(`bad text: ${block}`);
      }
      const [h1, m1, s1, ms1, h2, m2, s2, ms2] = match.slice(1).map(Number);
      const ms = (h = 0, m = 0, s = 0, rest = 0) => ((h * 60 + m) * 60 + s) * 1000 + rest;
      return { startMs: ms(h1, m1, s1, ms1), endMs: ms(h2, m2, s2, ms2), lines };
    });
};
