import { useEffect, useEffectEvent, useState } from 'react';
import type { Model } from '../../../electron/contract/system.ts';
import { describeError } from '../../api/errors.ts';
import { invalidate } from '../../api/queries.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';

/** Installs a missing model and calls `onInstalled` once it is there. */
export const useModelInstall = (model: Model | undefined, onInstalled: () => void) => {
  const { client, queries } = useServices();
  const { t } = useI18n();
  const [isInstalling, setIsInstalling] = useState(false);
  const [error, setError] = useState<string>();
  const proceed = useEffectEvent(onInstalled);

  const hasArrived = model?.installed === true;
  const isDownloading = model?.download?.state === 'downloading';
  useEffect(() => {
    if (!isInstalling) return;
    if (hasArrived) proceed();
    // Failed, or paused on the Models page: the note says so.
    if (hasArrived || !isDownloading) setIsInstalling(false);
  }, [isInstalling, hasArrived, isDownloading]);

  return {
    isInstalling,
    error,
    install: async () => {
      if (model === undefined) return;
      setError(undefined);
      try {
        await client.call('installModel', { params: { id: model.id } });
        await invalidate(queries, ['listModels']);
        setIsInstalling(true);
      } catch (reason) {
        setError(describeError(reason, t));
      }
    },
    /** Pauses the download, which goes on with the next `install` or on the Models page. */
    stop: () => {
      if (!isInstalling || model === undefined) return;
      setIsInstalling(false);
      // It may just have ended.
      client.call('pauseModel', { params: { id: model.id } }).catch(() => undefined);
    },
  };
};
