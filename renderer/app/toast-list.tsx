import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useCoreServices, useI18n } from '../hooks/services.tsx';
import { cx } from '../lib/classes.ts';
import type { Toasts } from '../stores/toasts.ts';

const TONES = {
  plain: 'bg-ink text-surface',
  good: 'border border-line bg-good-soft text-good',
  bad: 'border border-line bg-bad-soft text-bad',
} as const;

/** Shows the toasts. F8 moves the focus to them; screen readers announce them. */
export const ToastList = () => {
  const { toasts } = useCoreServices();
  const { t } = useI18n();
  const list = useStore(toasts.store);
  const { round, restart } = useRound(list.length === 0);
  useBackgroundExpiry(toasts);
  return (
    <Toast.Provider key={round} label={t('toast.one')} swipeDirection="right">
      {list.map((toast) => (
        <Toast.Root
          key={toast.id}
          open
          data-toast
          type={toast.tone === 'bad' ? 'foreground' : 'background'}
          duration={toast.milliseconds}
          onOpenChange={(open) => !open && toasts.dismiss(toast.id)}
          className={cx(
            'enter pointer-events-auto flex w-fit max-w-full items-center gap-3 rounded-box py-2 pe-2 ps-4 shadow-high',
            TONES[toast.tone],
          )}
        >
          <Toast.Description className="min-w-0 break-words">{toast.text}</Toast.Description>
          {toast.action !== undefined && (
            <Toast.Action
              altText={toast.action.label}
              className="shrink-0 rounded-ctl px-2 py-1 font-[600] underline underline-offset-[3px]"
              // Before the toast closes, which would let it expire.
              onClickCapture={() => {
                toasts.runAction(toast.id);
                restart();
              }}
            >
              {toast.action.label}
            </Toast.Action>
          )}
          <Toast.Close
            aria-label={t('common.close')}
            onClick={restart}
            className="grid size-7 shrink-0 place-items-center rounded-ctl opacity-75 hover:opacity-100"
          >
            <X size={14} aria-hidden />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport
        label={t('toast.label')}
        className="toasts pointer-events-none fixed z-50 flex flex-col gap-2 px-3 outline-none"
      />
    </Toast.Provider>
  );
};

/**
 * A number that grows when a toast comes while none is shown, and with `restart`. Radix misses the end of a pause while none is
 * shown, e.g. if the last one went in the background, and if the toast under the pointer is closed beside another one; a
 * new provider begins without a pause.
 */
const useRound = (isEmpty: boolean): { round: number; restart: () => void } => {
  const [state, setState] = useState({ round: 0, wasEmpty: true });
  const restart = () => setState((now) => ({ ...now, round: now.round + 1 }));
  if (isEmpty === state.wasEmpty) return { round: state.round, restart };
  const round = isEmpty ? state.round : state.round + 1;
  setState({ round, wasEmpty: isEmpty });
  return { round, restart };
};

/** Radix stops the clock of toasts while the window is in the background; what waits for their end must not wait. */
const useBackgroundExpiry = ({ store, dismiss }: Toasts) => {
  useEffect(() => {
    const timers = new Map<number, ReturnType<typeof setTimeout>>();
    const stop = () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    };
    const start = () => {
      stop();
      for (const { id, milliseconds } of store.getState())
        timers.set(
          id,
          setTimeout(() => dismiss(id), milliseconds),
        );
    };
    window.addEventListener('blur', start);
    window.addEventListener('focus', stop);
    return () => {
      stop();
      window.removeEventListener('blur', start);
      window.removeEventListener('focus', stop);
    };
  }, [store, dismiss]);
};
