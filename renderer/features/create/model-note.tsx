import { useEffect, useRef } from 'react';
import type { Model } from '../../../electron/contract/system.ts';
import { LicenseNotice, ModelStatus } from '../../domain/model-status.tsx';
import { OfflineNotice } from '../../domain/offline-notice.tsx';
import { useI18n } from '../../hooks/services.tsx';
import { formatBytes } from '../../lib/format.ts';
import { hrefOf } from '../../stores/router.ts';
import { Callout } from '../../ui/feedback.tsx';

type Props = {
  model: Model | undefined;
  /** Why the installation could not begin. */
  error: string | undefined;
  isInstalling: boolean;
  onLeave: () => void;
};

/** What there is to know about the chosen model: that it is missing, or its download. */
export const ModelNote = ({ model, error, isInstalling, onLeave }: Props) => {
  const { t, locale } = useI18n();
  const note = useRef<HTMLDivElement>(null);
  const hasFailed = error !== undefined || model?.download?.state === 'failed';
  // In a low window, the note of a download that the button below has just started is out of sight.
  useEffect(() => {
    if (isInstalling || hasFailed) note.current?.scrollIntoView({ block: 'nearest' });
  }, [isInstalling, hasFailed]);
  if (model === undefined) return null;
  if (model.installed) return <LicenseNotice model={model} />;
  const name = model.name;
  const importLink = (
    <a href={hrefOf({ screen: 'models' })} onClick={onLeave} className="underline underline-offset-[3px]">
      {t('model.missing.import')}
    </a>
  );
  return (
    <div ref={note} className="mt-2">
      <OfflineNotice onLeave={onLeave}>{importLink}</OfflineNotice>
      <Callout tone={hasFailed ? 'bad' : isInstalling ? 'plain' : 'warn'}>
        {isInstalling && t('model.installing', { name })}
        {!isInstalling &&
          !hasFailed &&
          t('model.missing.note', { name, size: formatBytes(model.size, locale) })}
        <ModelStatus model={model} error={error} />
        <LicenseNotice model={model} />
        {hasFailed && (
          <p className="mt-1 text-xs">
            {t('model.missing.offline', { file: `ggml-${model.id}.bin` })} {importLink}
          </p>
        )}
      </Callout>
    </div>
  );
};
