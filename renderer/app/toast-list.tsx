import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { cx } from '../lib/classes.ts';
import { useCoreServices, useI18n } from './services.tsx';

/** Shows the toasts; a live region, so that screen readers announce them. */
export const ToastList = () => {
  const { toasts } = useCoreServices();
  const { t } = useI18n();
  const list = useStore(toasts.store);
  return (
    <section
      aria-label={t('toast.label')}
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 bottom-16 z-50 flex flex-col items-center gap-2 px-3 md:bottom-5"
    >
      {list.map((toast) => (
        <div
          key={toast.id}
          className={cx(
            'enter pointer-events-auto flex max-w-[560px] items-center gap-3 rounded-box py-2 pe-2 ps-4 shadow-high',
            toast.tone === 'bad' ? 'border border-line bg-bad-soft text-bad' : 'bg-ink text-surface',
          )}
        >
          <span className="min-w-0">{toast.text}</span>
          {toast.action !== undefined && (
            <button
              type="button"
              className="shrink-0 rounded-ctl px-2 py-1 font-[600] underline underline-offset-[3px]"
              onClick={() => {
                toast.action?.run();
                toasts.dismiss(toast.id);
              }}
            >
              {toast.action.label}
            </button>
          )}
          <button
            type="button"
            aria-label={t('common.close')}
            className="grid size-7 shrink-0 place-items-center rounded-ctl opacity-75 hover:opacity-100"
            onClick={() => toasts.dismiss(toast.id)}
          >
            <X size={14} aria-hidden />
          </button>
        </div>
      ))}
    </section>
  );
};
