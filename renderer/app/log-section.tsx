import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../electron/contract/client.ts';
import { useResource } from '../lib/use-resource.ts';
import { IconButton } from '../ui/button.tsx';
import { Callout } from '../ui/feedback.tsx';
import { Section } from './page.tsx';
import { ResourceView } from './resource-view.tsx';
import { useI18n } from './services.tsx';

type Props<T> = {
  title: string;
  text: string;
  /** Shown for an empty log. */
  empty: string;
  /** Wrap it in useCallback. */
  load: (signal: AbortSignal) => Promise<readonly T[]>;
  children: (rows: readonly T[]) => ReactNode;
};

/** A section with a log that only the owner may read. */
export const LogSection = <T,>({ title, text, empty, load, children }: Props<T>) => {
  const { t } = useI18n();
  const { resource, reload } = useResource(load);
  const isForbidden =
    resource.state === 'failed' && resource.error instanceof ApiError && resource.error.status === 403;
  return (
    <Section
      title={title}
      text={text}
      action={
        !isForbidden && (
          <IconButton label={t('common.refresh')} onClick={reload}>
            <RefreshCw size={15} aria-hidden />
          </IconButton>
        )
      }
    >
      {isForbidden ? (
        <Callout tone="plain">{t('log.forbidden')}</Callout>
      ) : (
        <ResourceView resource={resource} onReload={reload}>
          {(rows) => (rows.length === 0 ? <p className="text-ink-2">{empty}</p> : children(rows))}
        </ResourceView>
      )}
    </Section>
  );
};
