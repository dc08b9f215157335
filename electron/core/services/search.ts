import type { z } from 'zod';
import type { Pagination } from '../../contract/common.ts';
import type { SearchHit } from '../../contract/search.ts';
import { isoTime } from '../base/clock.ts';
import { round, roundMs } from '../base/numbers.ts';
import { type Alternatives, matchExpression, parseQuery } from '../search/query.ts';
import { findMarks, makeSnippet } from '../search/snippet.ts';
import type { WritableDb } from '../stores/database.ts';
import { countMatches, ownerToken, type SearchRow, searchTranscripts } from '../stores/search.ts';
import { readSegmentTexts } from '../stores/segments.ts';

const HITS_PER_TRANSCRIPT = 20;
const SNIPPET = 160;

type Found = { results: z.output<typeof SearchHit>[]; pagination: Pagination };

/** Full text over a user's transcripts. */
export class SearchService {
  readonly #db: WritableDb;

  constructor(db: WritableDb) {
    this.#db = db;
  }

  /** Ranked transcripts with the places that match. A query without any word finds nothing. */
  search(userId: string, text: string, page: number, limit: number): Found {
    const parsed = parseQuery(text);
    const match =
      parsed === undefined
        ? undefined
        : `owner : "${ownerToken(userId)}" AND {name body} : ${matchExpression(parsed)}`;
    const total = match === undefined ? 0 : countMatches(this.#db, match);
    const rows = match === undefined ? [] : searchTranscripts(this.#db, match, limit, (page - 1) * limit);
    const pages = Math.ceil(total / limit);
    return {
      results: parsed === undefined ? [] : rows.map((row) => this.#present(row, parsed)),
      pagination: { page, limit, total, pages, hasNext: page < pages, hasPrev: page > 1 },
    };
  }

  #present(row: SearchRow, parsed: Alternatives): z.output<typeof SearchHit> {
    const hits = readSegmentTexts(this.#db, row.id).flatMap((segment, index) => {
      const marks = findMarks(parsed, segment.text);
      if (marks.length === 0) return [];
      const { snippet, marks: placed } = makeSnippet(segment.text, marks, SNIPPET);
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
      id: row.id,
      name: row.name,
      language: row.language,
      created_at: isoTime(row.created_at),
      score: round(-row.score, 4),
      hits: hits.slice(0, HITS_PER_TRANSCRIPT),
    };
  }
}
