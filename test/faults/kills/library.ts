import { createHash } from 'node:crypto';
import type { Random } from '../../support/random.ts';

/**
 * A value that was acknowledged, or one of several while a request is in flight: a kill leaves open which one holds until
 * it is observed.
 */
export class Uncertain<T> {
  #possible: readonly T[];

  constructor(value: T) {
    this.#possible = [value];
  }

  /** The acknowledged value; the old one while a request is in flight. */
  get known(): T {
    const [first] = this.#possible;
    if (first === undefined) throw new Error('A value is always known.');
    return first;
  }

  /** Runs a request that sets `next`. Without its answer both values remain possible. */
  async set(next: T, request: () => Promise<unknown>): Promise<void> {
    this.#possible = [...this.#possible, next];
    await request();
    this.#possible = [next];
  }

  /** Settles on what the server shows; returns a problem if that is neither. */
  observe(value: T): string | undefined {
    const isPossible = this.#possible.includes(value);
    const problem = isPossible ? undefined : `${String(value)} instead of ${this.#possible.join(' or ')}`;
    this.#possible = [value];
    return problem;
  }
}

/** Words that occur nowhere by chance, even inside others: what is found of them in a file came from the library. */
export const MARKED_WORD = /zq[a-p]{10}qz/g;

const LETTERS = 'abcdefghijklmnop';

/** A new word. Its beginning differs so that the index, which shares beginnings, keeps the rest in one piece. */
export const newWord = (random: Random): string => {
  const letters = (count: number) => Array.from({ length: count }, () => random.pick([...LETTERS])).join('');
  return `${letters(4)}zq${letters(10)}qz`;
};

/** The part of a word by which it is found in bytes. */
export const markOf = (word: string): string => word.slice(4);

/** A transcript: its first segment holds a private address, the others a word each, as does its name. */
export type KnownTranscript = {
  readonly id: string;
  readonly secret: string;
  readonly isThere: Uncertain<boolean>;
  readonly isRedacted: Uncertain<boolean>;
  readonly name: Uncertain<string>;
  /** By segment, from the second one on. */
  readonly notes: readonly Uncertain<string>[];
  /** Whether a request for it is in flight, or a job of it unfinished. */
  isBusy: boolean;
};

export type KnownFile = {
  /** In its name and in its content. */
  readonly word: string;
  readonly sha256: string;
  readonly isThere: Uncertain<boolean>;
  isBusy: boolean;
};

export const SECRET_SENTENCE = (secret: string): string => `Write to ${secret}@example.com about it.`;
export const NOTE_SENTENCE = (word: string): string => `The note says ${word} today.`;

/** Settings without an effect on the test. */
export const SETTING_NAMES = ['network.stallSeconds', 'credits.perMinute.pro'] as const;

export type KnownSetting = { readonly value: Uncertain<number>; isBusy: boolean };

/** What a library must hold, as far as requests were acknowledged. */
export class Library {
  readonly transcripts: KnownTranscript[] = [];
  readonly files: KnownFile[] = [];
  readonly settings = new Map<(typeof SETTING_NAMES)[number], KnownSetting>();

  /** Words that must be found: in search, in answers, in files. */
  liveWords(): Set<string> {
    const words = this.transcripts
      .filter(({ isThere }) => isThere.known)
      .flatMap(({ secret, isRedacted, name, notes }) => [
        ...(isRedacted.known ? [] : [secret]),
        name.known,
        ...notes.map((note) => note.known),
      ]);
    const ofFiles = this.files.filter(({ isThere }) => isThere.known).map(({ word }) => word);
    return new Set([...words, ...ofFiles]);
  }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
