import type { ReactNode } from 'react';
import { errorText } from '../lib/errors.ts';
import type { Loaded } from '../lib/use-loaded.ts';
import { Note } from '../ui/bits.tsx';
import { Button } from '../ui/button.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { useI18n } from './services.tsx';

type Props<T> = {
  loaded: Loaded<T>;
  again: () => void;
  /** Lines that stand for it while it is on its way. */
  rows?: number;
  children: (value: T) => ReactNode;
};

/** What is loaded for a part of a page: on its way, there, or not to be had, with a way to try again. */
export const LoadedPart = <T,>({ loaded, again, rows = 3, children }: Props<T>) => {
  const { t } = useI18n();
  if (loaded.state === 'loading') return <SkeletonRows label={t('common.loading')} rows={rows} />;
  if (loaded.state === 'failed') {
    return (
      <div role="alert">
        <Note
          tone="bad"
          action={
            <Button look="link" className="!text-bad" onClick={again}>
              {t('common.retry')}
            </Button>
          }
        >
          {errorText(loaded.error, t)}
        </Note>
      </div>
    );
  }
  return children(loaded.value);
};
