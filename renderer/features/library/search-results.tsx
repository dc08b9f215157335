import { type ReactNode, useEffect, useState } from 'react';
import type { z } from 'zod';
import type { SearchHit } from '../../../electron/contract/search.ts';
import { describeError } from '../../api/errors.ts';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { formatClock, formatNumber, formatRelativeDay } from '../../lib/format.ts';
import { hrefOf } from '../../stores/router.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';

type SearchResult = z.output<typeof SearchHit>;

const PAGE_SIZE = 20;
const HITS_SHOWN = 4;

/** Wraps the matches of a snippet in `<mark>`. */
const highlight = (snippet: string, marks: readonly (readonly [number, number])[]): ReactNode[] => {
  const out: ReactNode[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    if (from > at) out.push(snippet.slice(at, from));
    out.push(
      <mark key={from} className="rounded-[2px] bg-mark px-px text-inherit">
        {snippet.slice(from, to)}
      </mark>,
    );
    at = to;
  }
  out.push(snippet.slice(at));
  return out;
};

/** Full-text search results; each hit opens its transcript at that time. */
export const SearchResults = ({ query }: { query: string }) => {
  const { t, locale } = useI18n();
  const [pages, setPages] = useState<readonly number[]>([1]);
  const [total, setTotal] = useState<number>();
  const remaining = (total ?? 0) - pages.length * PAGE_SIZE;
  return (
    <section aria-label={t('search.results')}>
      <p role="status" className="mt-6 mb-1 min-h-4 text-xs text-ink-3">
        {total !== undefined && total > 0 && t('search.count', { count: total })}
      </p>
      <ol>
        {pages.map((page) => (
          <ResultPage key={page} query={query} page={page} onTotal={setTotal} />
        ))}
      </ol>
      {remaining > 0 && (
        <Button className="mt-4" onClick={() => setPages([...pages, pages.length + 1])}>
          {t('search.more', { count: formatNumber(remaining, locale) })}
        </Button>
      )}
    </section>
  );
};

type PageProps = { query: string; page: number; onTotal: (total: number) => void };

const ResultPage = ({ query, page, onTotal }: PageProps) => {
  const { t } = useI18n();
  const answer = useApi('searchTranscripts', { query: { q: query, page, limit: PAGE_SIZE } });
  const found = answer.data?.data;
  const total = found?.pagination.total;
  useEffect(() => {
    if (total !== undefined) onTotal(total);
  }, [total, onTotal]);
  if (answer.isPending) return <SearchSkeleton />;
  if (found === undefined) {
    return (
      <li>
        <EmptyState role="alert" title={t('search.failed')} text={describeError(answer.error, t)}>
          <Button onClick={() => void answer.refetch()}>{t('common.retry')}</Button>
        </EmptyState>
      </li>
    );
  }
  if (total === 0) {
    return (
      <li>
        <EmptyState role="status" title={t('search.none')} text={t('search.none.text')}>
          {found.suggestion !== undefined && <Suggestion query={found.suggestion} />}
        </EmptyState>
      </li>
    );
  }
  return found.results.map((result) => <Result key={result.id} result={result} />);
};

/** Searches for the nearest words instead. */
const Suggestion = ({ query }: { query: string }) => {
  const { library } = useServices();
  const { t } = useI18n();
  return <Button onClick={() => library.setSearch(query)}>{t('search.suggestion', { query })}</Button>;
};

const Result = ({ result }: { result: SearchResult }) => {
  const { t, locale } = useI18n();
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? result.hits : result.hits.slice(0, HITS_SHOWN);
  return (
    <li className="border-b border-line py-4">
      <h2 className="flex items-baseline gap-3">
        <a
          href={hrefOf({ screen: 'transcript', param: result.id })}
          className="text-[calc(14px*var(--text-scale))] font-[580]"
        >
          {result.name}
        </a>
        <span className="text-xs text-ink-3">{formatRelativeDay(result.created_at, locale)}</span>
      </h2>
      <ul className="mt-1">
        {shown.map((hit) => (
          <li key={`${hit.segment_id}-${hit.start}`}>
            <a
              href={hrefOf({ screen: 'transcript', param: result.id, at: hit.start })}
              className="flex items-baseline gap-3 rounded-ctl px-2 py-1 -mx-2 hover:bg-ground"
            >
              <span className="tnum w-14 shrink-0 text-end font-mono text-2xs text-ink-3">
                {formatClock(hit.start)}
              </span>
              <span className="font-serif text-base leading-snug">{highlight(hit.snippet, hit.marks)}</span>
            </a>
          </li>
        ))}
      </ul>
      {result.hits.length > HITS_SHOWN && !showsAll && (
        <Button variant="link" className="mt-1 ms-[68px] text-xs" onClick={() => setShowsAll(true)}>
          {t('search.moreHits', { count: result.hits.length - HITS_SHOWN })}
        </Button>
      )}
    </li>
  );
};

const SearchSkeleton = () => (
  <li aria-hidden>
    {[70, 52, 64].map((width) => (
      <div key={width} className="border-b border-line py-4">
        <div className="skeleton h-3.5 w-52" />
        <div className="skeleton mt-3 h-4" style={{ width: `${width}%` }} />
      </div>
    ))}
  </li>
);
