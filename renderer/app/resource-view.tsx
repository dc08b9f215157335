import type { ReactNode } from 'react';
import { describeError } from '../lib/errors.ts';
import type { Resource } from '../lib/use-resource.ts';
import { Button } from '../ui/button.tsx';
import { Callout, SkeletonRows } from '../ui/feedback.tsx';
import { useI18n } from './services.tsx';

type Props<T> = {
  resource: Resource<T>;
  onReload: () => void;
  /** Number of skeleton rows while it loads. */
  rows?: number;
  children: (value: T) => ReactNode;
};

/** Renders a resource: skeleton rows while it loads, an error with a retry button if it failed, else `children`. */
export const ResourceView = <T,>({ resource, onReload, rows = 3, children }: Props<T>) => {
  const { t } = useI18n();
  if (resource.state === 'loading') return <SkeletonRows label={t('common.loading')} rows={rows} />;
  if (resource.state === 'failed') {
    return (
      <div role="alert">
        <Callout
          tone="bad"
          action={
            <Button variant="link" className="!text-bad" onClick={onReload}>
              {t('common.retry')}
            </Button>
          }
        >
          {describeError(resource.error, t)}
        </Callout>
      </div>
    );
  }
  return children(resource.value);
};
