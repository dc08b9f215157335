import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../electron/contract/client.ts';
import { useLoaded } from '../lib/use-loaded.ts';
import { Note } from '../ui/bits.tsx';
import { IconButton } from '../ui/button.tsx';
import { LoadedPart } from './loaded-part.tsx';
import { Section } from './page-head.tsx';
import { useI18n } from './services.tsx';

type Props<T> = {
  title: string;
  text: string;
  /** Said where there is nothing yet. */
  empty: string;
  /** Wrap it in useCallback. */
  load: (signal: AbortSignal) => Promise<readonly T[]>;
  children: (rows: readonly T[]) => ReactNode;
};

/** A log that only the owner may see, with a button to look again. */
export const LogSection = <T,>({ title, text, empty, load, children }: Props<T>) => {
  const { t } = useI18n();
  const { loaded, again } = useLoaded(load);
  const closed = loaded.state === 'failed' && loaded.error instanceof ApiError && loaded.error.status === 403;
  return (
    <Section
      title={title}
      text={text}
      {...(closed
        ? {}
        : {
            action: (
              <IconButton label={t('common.refresh')} onClick={again}>
                <RefreshCw size={15} aria-hidden />
              </IconButton>
            ),
          })}
    >
      {closed ? (
        <Note tone="plain">{t('log.closed')}</Note>
      ) : (
        <LoadedPart loaded={loaded} again={again}>
          {(rows) => (rows.length === 0 ? <p className="text-ink-2">{empty}</p> : children(rows))}
        </LoadedPart>
      )}
    </Section>
  );
};
