import { type ReactNode, useSyncExternalStore } from 'react';
import { useI18n } from '../hooks/services.tsx';
import { hrefOf } from '../stores/router.ts';
import { Callout } from '../ui/feedback.tsx';

const subscribe = (onChange: () => void) => {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
};

/** False if the browser knows of no network; true does not mean that the internet can be reached. */
const useIsOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

type Props = {
  /** How a model file is imported here. */
  children: ReactNode;
  /** A download found no network. */
  hasFailed?: boolean | undefined;
  /** Called before another screen is opened. */
  onLeave?: () => void;
};

/** If models are installed: says that there is no network, and what works without; nothing with one. */
export const OfflineNotice = ({ children, hasFailed = false, onLeave }: Props) => {
  const { t } = useI18n();
  const isOnline = useIsOnline();
  if (isOnline && !hasFailed) return null;
  return (
    <div role="status" className="mt-2 mb-4">
      <Callout
        tone="warn"
        action={
          <span className="flex shrink-0 flex-wrap justify-end gap-x-3">
            {children}
            <a
              href={hrefOf({ screen: 'settings', param: 'models' })}
              onClick={onLeave}
              className="font-medium underline underline-offset-[3px]"
            >
              {t('models.offline.mirror')}
            </a>
          </span>
        }
      >
        <b className="font-semibold">{t('models.offline')}</b> {t('models.offline.text')}
      </Callout>
    </div>
  );
};
