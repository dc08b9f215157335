import {
  MAX_SOUNDS_LIKE,
  MAX_VOCABULARY,
  type SuggestedTerm,
  type TermSuggestions,
  termOf,
  type UserVocabulary,
  type VocabularyEntry,
} from '../../contract/vocabulary.ts';
import { stopWords } from '../analysis/topics/stop-words.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import * as corrections from '../stores/corrections.ts';
import type { WritableDb } from '../stores/database.ts';
import { markForScrub } from '../stores/scrub-mark.ts';
import { readUserVocabulary, writeUserVocabulary } from '../stores/users.ts';

type Deps = { readonly db: WritableDb; readonly clock: Clock };

/** Places in which a word is corrected the same way before it is suggested. */
const MIN_PLACES = 2;
const MAX_SUGGESTIONS = 100;

const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const isKnown = (entries: readonly VocabularyEntry[], { term, heard }: SuggestedTerm): boolean =>
  entries
    .map(termOf)
    .some(
      (entry) =>
        entry.term === term &&
        (soundsOf(heard).length === 0 || (entry.sounds_like ?? []).some((form) => sameText(form, heard))),
    );

/** A common word that was misheard once is meant almost always. */
const soundsOf = (heard: string): string[] => (stopWords('').has(heard.toLowerCase()) ? [] : [heard]);

const withTerm = (entries: readonly VocabularyEntry[], { term, heard }: SuggestedTerm): VocabularyEntry[] => {
  const at = entries.findIndex((entry) => termOf(entry).term === term);
  const known = entries[at];
  const { sounds_like: forms = [], ...entry } = known === undefined ? { term } : termOf(known);
  const sounds = [...new Set([...forms, ...soundsOf(heard)])].slice(0, MAX_SOUNDS_LIKE);
  const next = sounds.length === 0 ? (known ?? term) : { ...entry, sounds_like: sounds };
  return known === undefined ? [...entries, next] : entries.with(at, next);
};

/** The names and terms that each user's recordings are recognized with, unless a request brings its own. */
export class VocabularyService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get(userId: string): UserVocabulary {
    const stored = readUserVocabulary(this.#deps.db, userId);
    if (stored === undefined) return { terms: [], updated_at: null };
    return { terms: [...stored.entries], updated_at: isoTime(stored.updatedAt) };
  }

  /** Replaces the whole list. */
  set(userId: string, terms: readonly VocabularyEntry[]): UserVocabulary {
    const { db, clock } = this.#deps;
    db.transaction(() => {
      writeUserVocabulary(db, userId, { entries: terms, updatedAt: clock.now() });
      markForScrub(db, 'log');
    });
    return this.get(userId);
  }

  /** Terms that the user wrote in several places for the same words, and that the list does not have. */
  suggestions(userId: string): TermSuggestions {
    const { terms } = this.get(userId);
    const suggestions = corrections
      .listRepeatedCorrections(this.#deps.db, userId, MIN_PLACES)
      .map(({ id, heard, written, count }) => ({ id, term: written, heard, count }))
      .filter((suggestion) => !isKnown(terms, suggestion))
      .slice(0, MAX_SUGGESTIONS);
    return { enabled: corrections.suggestsTerms(this.#deps.db, userId), suggestions };
  }

  /** Begins to count corrections, or ends that and forgets all. */
  allowSuggestions(userId: string, enabled: boolean): TermSuggestions {
    const { db } = this.#deps;
    db.transaction(() => {
      corrections.setSuggestsTerms(db, userId, enabled);
      if (enabled) return;
      corrections.deleteCorrectionsOf(db, userId);
      markForScrub(db, 'log');
    });
    return this.suggestions(userId);
  }

  /** Adds a suggested term. Throws `suggestion_not_found`, and `conflict` if the list is full. */
  accept(userId: string, id: string): UserVocabulary {
    const suggestion = this.#suggestion(userId, id);
    const terms = withTerm(this.get(userId).terms, suggestion);
    if (terms.length > MAX_VOCABULARY) {
      throw new AppError('conflict', `A vocabulary has at most ${MAX_VOCABULARY} terms: remove one first.`);
    }
    return this.#deps.db.transaction(() => {
      corrections.settleCorrections(this.#deps.db, userId, id);
      return this.set(userId, terms);
    });
  }

  /** Throws `suggestion_not_found`. */
  dismiss(userId: string, id: string): void {
    this.#suggestion(userId, id);
    corrections.settleCorrections(this.#deps.db, userId, id);
  }

  #suggestion(userId: string, id: string): SuggestedTerm {
    const found = this.suggestions(userId).suggestions.find((each) => each.id === id);
    if (found === undefined) {
      throw new AppError('suggestion_not_found', 'There is no such suggestion, or no longer.');
    }
    return found;
  }
}
