import type { UseQueryResult } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../electron/contract/client.ts';
import { useI18n } from '../hooks/services.tsx';
import { IconButton } from '../ui/button.tsx';
import { Callout } from '../ui/feedback.tsx';
import { Section } from '../ui/page.tsx';
import { QueryView } from './query-view.tsx';

type Props<T> = {
  title: string;
  text: string;
  /** Shown for an empty log. */
  empty: string;
  query: UseQueryResult<{ readonly data: readonly T[] }>;
  children: (rows: readonly T[]) => ReactNode;
};

/** A section with a log that only the owner may read. */
export const LogSection = <T,>({ title, text, empty, query, children }: Props<T>) => {
  const { t } = useI18n();
  const isForbidden = query.error instanceof ApiError && query.error.status === 403;
  return (
    <Section
      title={title}
      text={text}
      action={
        !isForbidden && (
          <IconButton label={t('common.refresh')} onClick={() => void query.refetch()}>
            <RefreshCw size={15} aria-hidden />
          </IconButton>
        )
      }
    >
      {isForbidden ? (
        <Callout tone="plain">{t('log.forbidden')}</Callout>
      ) : (
        <QueryView query={query}>
          {({ data: rows }) => (rows.length === 0 ? <p className="text-ink-2">{empty}</p> : children(rows))}
        </QueryView>
      )}
    </Section>
  );
};
