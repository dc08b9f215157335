import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { useI18n, useServices } from '../../app/services.tsx';
import { describeError } from '../../lib/errors.ts';
import { formatBytes } from '../../lib/format.ts';
import { IconButton } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/feedback.tsx';

/** The running and failed uploads; nothing without any. */
export const UploadList = () => {
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
                  {upload.state === 'checking'
                    ? t('uploads.checking')
                    : upload.state === 'waiting'
                      ? t('uploads.waiting')
                      : t('uploads.sent', {
                          sent: formatBytes(upload.sent, locale),
                          size: formatBytes(upload.size, locale),
                        })}
                </span>
                <ProgressBar
                  className="w-28"
                  label={upload.name}
                  value={upload.size === 0 ? 0 : upload.sent / upload.size}
                />
              </>
            )}
            <IconButton
              label={upload.state === 'failed' ? t('common.dismiss') : t('uploads.cancel')}
              onClick={() => uploads.cancel(upload.id)}
            >
              <X size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
};
