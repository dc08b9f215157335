import { Download, Pause, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import type { Model } from '../../electron/contract/system.ts';
import { describeError } from '../api/errors.ts';
import { useI18n, useServices } from '../hooks/services.tsx';
import { formatBytes, formatNumber } from '../lib/format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { ProgressBar } from '../ui/feedback.tsx';
import { isRecognizer, licenseNotice } from './models.ts';

/** Names a model's author and license if the license asks for it. */
export const LicenseNotice = ({ model }: { model: Model }) => {
  const { t } = useI18n();
  const notice = licenseNotice(model, t);
  return notice === undefined ? null : <p className="mt-0.5 text-xs text-ink-3">{notice}</p>;
};

type StatusProps = { model: Model; error: string | undefined };

/** The progress of a download, or the reason of its failure or of another action's. */
export const ModelStatus = ({ model, error }: StatusProps) => {
  const { t, locale } = useI18n();
  const { download } = model;
  if (error !== undefined && download?.state !== 'failed') {
    return (
      <p role="alert" className="mt-1 text-xs text-bad">
        {error}
      </p>
    );
  }
  if (download === null) return null;
  const amounts = {
    received: formatBytes(download.received, locale),
    total: formatBytes(download.total, locale),
  };
  if (download.state === 'failed') {
    return (
      <p role="alert" className="mt-1 text-xs text-bad">
        {download.error?.startsWith('No internet connection') === true
          ? t('models.offline')
          : download.error === null
            ? t('models.downloadFailed')
            : t('models.downloadFailedReason', { reason: download.error })}
      </p>
    );
  }
  return (
    <div className="mt-2 flex items-center gap-3 text-xs text-accent-text">
      <ProgressBar
        className="w-[180px] max-w-[40vw]"
        label={t('models.downloadOf', { name: model.name })}
        value={download.total === 0 ? 0 : download.received / download.total}
      />
      <span className="tnum">
        {t(download.state === 'paused' ? 'models.paused' : 'models.progress', amounts)}
      </span>
    </div>
  );
};

type ActionsProps = {
  model: Model;
  onChanged: () => void;
  /** Called with the reason for which an action failed, and with undefined before the next one. */
  onError: (reason: string | undefined) => void;
};

/** The actions that the model's state allows: download, pause, resume, measure, remove. */
export const ModelActions = ({ model, onChanged, onError }: ActionsProps) => {
  const { client, toasts } = useServices();
  const { t, locale } = useI18n();
  const [isConfirmingRemoval, setIsConfirmingRemoval] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const params = { id: model.id };
  const run = async (work: () => Promise<unknown>) => {
    setIsBusy(true);
    onError(undefined);
    try {
      await work();
    } catch (error) {
      onError(describeError(error, t));
    }
    setIsBusy(false);
    onChanged();
  };
  const measure = async () => {
    const { data } = await client.call('benchmarkModel', { params });
    toasts.show(t('models.measured', { name: model.name, speed: formatNumber(data.speed, locale, 1) }), {
      tone: 'good',
    });
  };
  const remove = () => run(() => client.call('removeModel', { params }));
  const isDownloading = model.download?.state === 'downloading';

  if (!model.installed) {
    return (
      <span className="flex items-center gap-1.5 max-sm:ps-8">
        {isDownloading ? (
          <Button onClick={() => void run(() => client.call('pauseModel', { params }))}>
            <Pause size={14} aria-hidden />
            {t('models.pause')}
          </Button>
        ) : (
          <Button disabled={isBusy} onClick={() => void run(() => client.call('installModel', { params }))}>
            <Download size={15} strokeWidth={1.75} aria-hidden />
            {t(model.download === null ? 'models.download' : 'models.resume')}
          </Button>
        )}
        {model.download !== null && (
          <IconButton label={t('models.stop', { name: model.name })} onClick={() => void remove()}>
            <X size={15} aria-hidden />
          </IconButton>
        )}
      </span>
    );
  }
  return (
    <span className="flex items-center gap-1.5 max-sm:ps-8">
      {isRecognizer(model) && (
        <Button variant="ghost" disabled={isBusy} onClick={() => void run(measure)}>
          {t(isBusy ? 'models.measuring' : 'models.measure')}
        </Button>
      )}
      {model.bundled ? (
        <span className="text-xs text-ink-3">{t('models.bundled')}</span>
      ) : (
        <IconButton
          label={t('models.remove', { name: model.name })}
          onClick={() => setIsConfirmingRemoval(true)}
        >
          <Trash2 size={15} aria-hidden />
        </IconButton>
      )}
      {isConfirmingRemoval && (
        <ConfirmDialog
          title={t('models.remove.title', { name: model.name })}
          text={t('models.remove.text', { size: formatBytes(model.size, locale) })}
          confirmLabel={t('common.delete')}
          cancelLabel={t('common.cancel')}
          onConfirm={() => {
            setIsConfirmingRemoval(false);
            void remove();
          }}
          onCancel={() => setIsConfirmingRemoval(false)}
        />
      )}
    </span>
  );
};
