import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeError } from '../api/errors.ts';
import { useI18n } from '../hooks/services.tsx';
import { Button } from '../ui/button.tsx';
import { Callout, SkeletonRows } from '../ui/feedback.tsx';

type Props<T> = {
  query: UseQueryResult<T>;
  /** Number of skeleton rows while it loads. */
  rows?: number;
  children: (value: T) => ReactNode;
};

/** Renders an answer: skeleton rows while it loads, an error with a retry button if it failed, else `children`. */
export const QueryView = <T,>({ query, rows = 3, children }: Props<T>) => {
  const { t } = useI18n();
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return <SkeletonRows label={t('common.loading')} rows={rows} />;
  return (
    <div role="alert">
      <Callout
        tone="bad"
        action={
          <Button variant="link" className="!text-bad" onClick={() => void query.refetch()}>
            {t('common.retry')}
          </Button>
        }
      >
        {describeError(query.error, t)}
      </Callout>
    </div>
  );
};
