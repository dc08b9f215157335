import type { z } from 'zod';
import type { Pagination } from '../../contract/common.ts';
import type { SearchHit } from '../../contract/search.ts';
import { isoTime } from '../base/clock.ts';
import { round, roundMs } from '../base/numbers.ts';
import {
  type Alternatives,
  findMarks,
  makeSnippet,
  matchExpression,
  parseQuery,
  parseTyping,
} from '../search/query.ts';
import { maxEdits, nearestWords, tokenize } from '../search/tokens.ts';
import type { ReadableDb } from '../stores/database.ts';
import { countMatches, type FoundTranscript, searchTranscripts, wordsOfIndex } from '../stores/search.ts';
import { readSegmentTexts } from '../stores/segments.ts';

const MAX_HITS_PER_TRANSCRIPT = 20;
/** UTF-16 code units. */
const SNIPPET_LENGTH = 160;

/** Nearest words that are tried, since the first may occur in texts of another user alone. */
const MAX_TRIED = 20;

type Found = { results: z.output<typeof SearchHit>[]; pagination: Pagination; suggestion?: string };

const paginationOf = (page: number, limit: number, total: number): Pagination => {
  const pages = Math.ceil(total / limit);
  return { page, limit, total, pages, hasNext: page < pages, hasPrev: page > 1 };
};

/** Full-text search over a user's transcripts. */
export class SearchService {
  readonly #db: ReadableDb;

  constructor(db: ReadableDb) {
    this.#db = db;
  }

  /**
   * Ranked transcripts with the places that match. The last word also finds words that begin with it, after those that
   * equal it. A query without any word finds nothing.
   */
  search(userId: string, text: string, page: number, limit: number): Found {
    const parsed = parseQuery(text);
    if (parsed === undefined) return { results: [], pagination: paginationOf(page, limit, 0) };
    const typing = parseTyping(text);
    const whole = matchExpression(parsed);
    const expressions = { whole, typing: typing && matchExpression(typing) };
    const found = searchTranscripts(this.#db, userId, expressions, { limit, offset: (page - 1) * limit });
    const total = countMatches(this.#db, userId, expressions.typing ?? whole);
    const suggestion = total === 0 ? this.#suggest(userId, text) : undefined;
    return {
      results: found.map((transcript) => this.#present(transcript, typing ?? parsed)),
      pagination: paginationOf(page, limit, total),
      ...(suggestion === undefined ? {} : { suggestion }),
    };
  }

  #count(userId: string, text: string): number {
    const parsed = parseTyping(text) ?? parseQuery(text);
    return parsed === undefined ? 0 : countMatches(this.#db, userId, matchExpression(parsed));
  }

  /** The query with each word that occurs nowhere replaced by the nearest one that does, if that finds something. */
  #suggest(userId: string, text: string): string | undefined {
    let suggestion = text;
    for (const { folded, start, end } of tokenize(text).toReversed()) {
      if (maxEdits(folded.length) === 0 || this.#count(userId, folded) > 0) continue;
      const nearest = this.#nearest(userId, folded);
      if (nearest === undefined) return undefined;
      suggestion = suggestion.slice(0, start) + nearest + suggestion.slice(end);
    }
    return suggestion !== text && this.#count(userId, suggestion) > 0 ? suggestion : undefined;
  }

  /** The nearest word in the user's own texts and names, as it is spelled there. */
  #nearest(userId: string, word: string): string | undefined {
    const edits = maxEdits(word.length);
    const words = wordsOfIndex(this.#db, word.slice(0, 1), word.length - edits, word.length + edits);
    const near = nearestWords(word, words)
      .slice(0, MAX_TRIED)
      .find((each) => this.#count(userId, `"${each}"`) > 0);
    if (near === undefined) return undefined;
    const parsed = parseQuery(`"${near}"`);
    const whole = parsed && matchExpression(parsed);
    if (parsed === undefined || whole === undefined) return near;
    const [first] = searchTranscripts(
      this.#db,
      userId,
      { whole, typing: undefined },
      { limit: 1, offset: 0 },
    );
    const texts =
      first === undefined
        ? []
        : [...readSegmentTexts(this.#db, first.id).map((each) => each.text), first.name];
    for (const spelled of texts) {
      const [mark] = findMarks(parsed, spelled);
      if (mark !== undefined) return spelled.slice(...mark);
    }
    return near;
  }

  #present(transcript: FoundTranscript, parsed: Alternatives): z.output<typeof SearchHit> {
    const hits = readSegmentTexts(this.#db, transcript.id).flatMap((segment, index) => {
      const marks = findMarks(parsed, segment.text);
      if (marks.length === 0) return [];
      const { snippet, marks: placed } = makeSnippet(segment.text, marks, SNIPPET_LENGTH);
      return [
        {
          segment_id: index,
          start: roundMs(segment.start),
          end: roundMs(segment.end),
          snippet,
          marks: placed,
        },
      ];
    });
    return {
      id: transcript.id,
      name: transcript.name,
      language: transcript.language,
      created_at: isoTime(transcript.createdAt),
      score: round(-transcript.score, 4),
      hits: hits.slice(0, MAX_HITS_PER_TRANSCRIPT),
    };
  }
}
