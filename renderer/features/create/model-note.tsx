import { useEffect, useRef } from 'react';
import type { Model } from '../../../electron/contract/system.ts';
import { useI18n } from '../../app/services.tsx';
import { formatBytes } from '../../lib/format.ts';
import { hrefOf } from '../../stores/router.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { LicenseNotice } from '../models/license-notice.tsx';
import { ModelStatus } from '../models/model-actions.tsx';
import { modelName } from '../models/model-facts.ts';
import { findModel } from './model-choice.ts';

type Props = {
  models: readonly Model[];
  model: Model | undefined;
  /** Why the installation could not begin. */
  error: string | undefined;
  isInstalling: boolean;
  onChange: (model: string) => void;
  onLeave: () => void;
};

/** What there is to know about the chosen model: that it is missing, its download, or that it only demonstrates. */
export const ModelNote = ({ models, model, error, isInstalling, onChange, onLeave }: Props) => {
  const { t, locale } = useI18n();
  const note = useRef<HTMLDivElement>(null);
  const hasFailed = error !== undefined || model?.download?.state === 'failed';
  // In a low window, the note of a download that the button below has just started is out of sight.
  useEffect(() => {
    if (isInstalling || hasFailed) note.current?.scrollIntoView({ block: 'nearest' });
  }, [isInstalling, hasFailed]);
  if (model === undefined) return null;
  if (model.demonstration) {
    const mini = findModel(models, 'mini');
    return (
      <div className="mt-2">
        <Callout tone="warn">
          {t('model.demo.note')}{' '}
          {mini?.installed === false && (
            <Button variant="link" className="!text-warn" onClick={() => onChange('mini')}>
              {t('model.demo.replace', { size: formatBytes(mini.size, locale) })}
            </Button>
          )}
        </Callout>
      </div>
    );
  }
  if (model.installed) return <LicenseNotice model={model} />;
  const name = modelName(model, t);
  return (
    <div ref={note} className="mt-2">
      <Callout tone={hasFailed ? 'bad' : isInstalling ? 'plain' : 'warn'}>
        {isInstalling && t('model.installing', { name })}
        {!isInstalling &&
          !hasFailed &&
          t('model.missing.note', { name, size: formatBytes(model.size, locale) })}
        <ModelStatus model={model} error={error} />
        <LicenseNotice model={model} />
        {hasFailed && (
          <p className="mt-1 text-xs">
            {t('model.missing.offline', { file: `ggml-${model.id}.bin` })}{' '}
            <a
              href={hrefOf({ screen: 'models' })}
              onClick={onLeave}
              className="underline underline-offset-[3px]"
            >
              {t('model.missing.import')}
            </a>
          </p>
        )}
      </Callout>
    </div>
  );
};
