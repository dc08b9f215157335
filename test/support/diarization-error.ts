export type LabelledTurn = {
  readonly start: number;
  readonly end: number;
  readonly speaker: string | number;
};

const STEP = 0.01;

const speakersAt = (turns: readonly LabelledTurn[], time: number): Set<string> =>
  new Set(turns.filter((turn) => turn.start <= time && time < turn.end).map((turn) => String(turn.speaker)));

/** The largest sum of shared time over all ways to pair speakers of one side with those of the other. */
const bestPairing = (
  left: readonly string[],
  right: readonly string[],
  shared: ReadonlyMap<string, number>,
): number => {
  const [first, ...rest] = left;
  if (first === undefined) return 0;
  const without = bestPairing(rest, right, shared);
  return Math.max(
    without,
    ...right.map(
      (other) =>
        (shared.get(`${first}|${other}`) ?? 0) +
        bestPairing(
          rest,
          right.filter((name) => name !== other),
          shared,
        ),
    ),
  );
};

/**
 * The diarization error rate of NIST's rich transcription evaluations: missed, false and wrongly attributed
 * speech over all speech, 0 to 1 and more. Time within `collar` seconds of a true border does not count;
 * overlapping speech does; speakers are mapped in the best way.
 */
export const scoreDiarization = (
  truth: readonly LabelledTurn[],
  found: readonly LabelledTurn[],
  collar = 0.25,
): number => {
  const borders = truth.flatMap(({ start, end }) => [start, end]);
  const end = Math.max(0, ...[...truth, ...found].map((turn) => turn.end));
  const shared = new Map<string, number>();
  let [spoken, most] = [0, 0];
  for (let time = 0; time < end; time += STEP) {
    if (borders.some((border) => Math.abs(border - time) < collar)) continue;
    const [said, heard] = [speakersAt(truth, time), speakersAt(found, time)];
    spoken += said.size;
    most += Math.max(said.size, heard.size);
    for (const a of said) {
      for (const b of heard) shared.set(`${a}|${b}`, (shared.get(`${a}|${b}`) ?? 0) + 1);
    }
  }
  const names = (turns: readonly LabelledTurn[]) => [...new Set(turns.map(({ speaker }) => String(speaker)))];
  return spoken === 0 ? 0 : (most - bestPairing(names(truth), names(found), shared)) / spoken;
};
