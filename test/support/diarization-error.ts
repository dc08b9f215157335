export type LabelledTurn = {
  readonly start: number;
  readonly end: number;
  readonly speaker: string | number;
};

const STEP = 0.01;

const namesOf = (turns: readonly LabelledTurn[]): string[] => [
  ...new Set(turns.map(({ speaker }) => String(speaker))),
];

/** The range of steps between two times, end exclusive. */
const stepsOf = (start: number, end: number, steps: number): [number, number] => [
  Math.max(0, Math.ceil(start / STEP)),
  Math.min(steps, Math.ceil(end / STEP)),
];

/** For each speaker, 1 in every step in which the speaker speaks. */
const timelines = (turns: readonly LabelledTurn[], names: readonly string[], steps: number): Uint8Array[] => {
  const lines = names.map(() => new Uint8Array(steps));
  for (const { start, end, speaker } of turns) {
    lines[names.indexOf(String(speaker))]?.fill(1, ...stepsOf(start, end, steps));
  }
  return lines;
};

/** The largest sum over all ways to pair rows with columns. */
const bestPairing = (shared: readonly (readonly number[])[]): number => {
  const known = new Map<string, number>();
  const from = (row: number, taken: readonly number[]): number => {
    const own = shared[row];
    if (own === undefined) return 0;
    const key = `${row}:${taken.join()}`;
    const answer =
      known.get(key) ??
      Math.max(
        from(row + 1, taken),
        ...own.map((seconds, column) =>
          seconds === 0 || taken.includes(column)
            ? 0
            : seconds +
              from(
                row + 1,
                [...taken, column].toSorted((a, b) => a - b),
              ),
        ),
      );
    known.set(key, answer);
    return answer;
  };
  return from(0, []);
};

/**
 * The diarization error rate of NIST's rich transcription evaluations: missed, false and confused speech over all
 * speech. Ignores `collar` seconds around each true boundary, scores overlap, and maps speakers optimally.
 */
export const scoreDiarization = (
  truth: readonly LabelledTurn[],
  found: readonly LabelledTurn[],
  collar = 0.25,
): number => {
  const steps = Math.ceil(Math.max(0, ...[...truth, ...found].map((turn) => turn.end)) / STEP);
  const skipped = new Uint8Array(steps);
  for (const border of truth.flatMap(({ start, end }) => [start, end])) {
    skipped.fill(1, ...stepsOf(border - collar, border + collar, steps));
  }
  const said = timelines(truth, namesOf(truth), steps);
  const heard = timelines(found, namesOf(found), steps);
  const shared = said.map(() => heard.map(() => 0));
  let [spoken, most] = [0, 0];
  for (let step = 0; step < steps; step++) {
    if (skipped[step] === 1) continue;
    const speaking = said.flatMap((line, index) => (line[step] === 1 ? [index] : []));
    const labelled = heard.flatMap((line, index) => (line[step] === 1 ? [index] : []));
    spoken += speaking.length;
    most += Math.max(speaking.length, labelled.length);
    for (const i of speaking) {
      for (const j of labelled) {
        const row = shared[i];
        if (row !== undefined) row[j] = (row[j] ?? 0) + 1;
      }
    }
  }
  return spoken === 0 ? 0 : (most - bestPairing(shared)) / spoken;
};
