import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { describeError } from '../api/errors.ts';
import { invalidate } from '../api/queries.ts';
import { useI18n, useServices } from '../hooks/services.tsx';
import { formatBytes, formatList } from '../lib/format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Callout, ProgressBar } from '../ui/feedback.tsx';
import { FileButton } from '../ui/file-button.tsx';

/** The running and failed uploads, and those that a reload ended; nothing without any. */
export const UploadList = () => (
  <>
    <LostUploads />
    <OpenUploads />
  </>
);

/** Asks for the files of uploads that a reload ended, by their names. */
const LostUploads = () => {
  const { uploads, dialogs, queries } = useServices();
  const { t, locale } = useI18n();
  const lost = useStore(uploads.lost);
  if (lost.length === 0) return null;
  const upload = (files: readonly File[]) => {
    const chosen = files.map((file) => ({ file, known: uploads.takeLost(file.name) }));
    for (const { file, known } of chosen) {
      if (known?.purpose !== 'storage') dialogs.addSources([{ kind: 'file', file }]);
      // The list shows why one failed.
      else
        void uploads.send(file, known).then(
          () => invalidate(queries, ['listFiles']),
          () => {},
        );
    }
  };
  return (
    <div role="status" className="mt-4">
      <Callout
        tone="warn"
        action={
          <span className="flex shrink-0 flex-wrap items-center justify-end gap-x-3">
            <FileButton
              variant="link"
              className="!text-warn"
              label={t('drop.choose')}
              icon={null}
              onFiles={upload}
            />
            <Button variant="link" className="!text-warn" onClick={() => uploads.takeLost()}>
              {t('common.dismiss')}
            </Button>
          </span>
        }
      >
        <p className="line-clamp-4 [overflow-wrap:anywhere]">
          {t('uploads.lost', {
            count: lost.length,
            names: formatList(
              lost.map(({ name }) => name),
              locale,
            ),
          })}
        </p>
      </Callout>
    </div>
  );
};

const OpenUploads = () => {
  const { uploads } = useServices();
  const { t, locale } = useI18n();
  const list = useStore(uploads.store);
  if (list.length === 0) return null;
  return (
    <section aria-label={t('uploads.label')} className="mt-4 overflow-hidden rounded-box border border-line">
      <ul>
        {list.map((upload) => (
          <li
            key={upload.id}
            className="flex items-center gap-3 border-b border-line px-3 py-2 last:border-0"
          >
            <span className="min-w-0 flex-1 truncate font-mono text-2xs">{upload.name}</span>
            {upload.state === 'failed' ? (
              <span role="alert" className="text-xs text-bad">
                {describeError(upload.error, t)}
              </span>
            ) : (
              <>
                <span className="tnum text-xs text-ink-2">
                  {upload.state === 'sending'
                    ? t('uploads.sent', {
                        sent: formatBytes(upload.sent, locale),
                        size: formatBytes(upload.size, locale),
                      })
                    : t(`uploads.${upload.state}`)}
                </span>
                <ProgressBar
                  className="w-28"
                  label={upload.name}
                  value={upload.size === 0 ? undefined : upload.sent / upload.size}
                />
              </>
            )}
            {upload.state !== 'starting' && (
              <IconButton
                label={upload.state === 'failed' ? t('common.dismiss') : t('uploads.cancel')}
                onClick={() => uploads.cancel(upload.id)}
              >
                <X size={14} aria-hidden />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
};
