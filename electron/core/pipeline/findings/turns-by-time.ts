import type { SpeakerTurn } from '../../engines/diarizer/types.ts';

/** Turns farther than this from a segment are ignored, unless there are no others; seconds. */
const REACH = 30;

/** The first index of a list of `count` for which `isReached` holds; it holds for all that follow. */
const firstIndex = (count: number, isReached: (index: number) => boolean): number => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Finds turns by time without looking at all of them: ten hours have thousands. */
export class TurnsByTime {
  readonly #turns: readonly SpeakerTurn[];
  /** Of each turn and those before it, the one that ends last. */
  readonly #latest: readonly SpeakerTurn[];

  constructor(turns: readonly SpeakerTurn[]) {
    this.#turns = turns.toSorted((a, b) => a.start - b.start);
    let latest: SpeakerTurn | undefined;
    this.#latest = this.#turns.map((turn) => {
      if (latest === undefined || turn.end > latest.end) latest = turn;
      return latest;
    });
  }

  /** The turns within reach, by their starts; without any, the nearest on both sides. */
  near({ start, end }: Pick<SpeakerTurn, 'start' | 'end'>): readonly SpeakerTurn[] {
    const to = firstIndex(this.#turns.length, (index) => (this.#turns[index]?.start ?? 0) >= end + REACH);
    const from = firstIndex(to, (index) => (this.#latest[index]?.end ?? 0) > start - REACH);
    const close = this.#turns.slice(from, to).filter((turn) => turn.end > start - REACH);
    if (close.length > 0) return close;
    return [this.#latest[to - 1], this.#turns[to]].filter((turn) => turn !== undefined);
  }
}
