import type { z } from 'zod';
import type { Pagination } from '../../contract/common.ts';
import type { SearchHit } from '../../contract/search.ts';
import { isoTime } from '../base/clock.ts';
import { round, roundMs } from '../base/numbers.ts';
import { type Alternatives, matchExpression, parseQuery, parseTyping } from '../search/query.ts';
import { findMarks, makeSnippet } from '../search/snippet.ts';
import type { ReadableDb } from '../stores/database.ts';
import { countMatches, type FoundTranscript, searchTranscripts } from '../stores/search.ts';
import { readSegmentTexts } from '../stores/segments.ts';

const MAX_HITS_PER_TRANSCRIPT = 20;
/** UTF-16 code units. */
const SNIPPET_LENGTH = 160;

type Found = { results: z.output<typeof SearchHit>[]; pagination: Pagination };

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
    return {
      results: found.map((transcript) => this.#present(transcript, typing ?? parsed)),
      pagination: paginationOf(page, limit, total),
    };
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
