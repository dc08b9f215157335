import { createStore } from 'zustand/vanilla';

type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad';
  /** Time on screen; it stands still while the toast is hovered or focused. */
  readonly milliseconds: number;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Called when the toast goes and its action was not used. */
  readonly onExpire?: () => void;
};

type ToastOptions = Partial<Pick<Toast, 'tone' | 'action' | 'milliseconds' | 'onExpire'>>;

const MAX_SHOWN = 4;

/** Short messages over the window, newest last. */
export const createToasts = () => {
  const store = createStore<readonly Toast[]>(() => []);
  let nextId = 1;

  const take = (id: number): Toast | undefined => {
    const toast = store.getState().find((each) => each.id === id);
    store.setState(
      store.getState().filter((each) => each !== toast),
      true,
    );
    return toast;
  };

  const runAction = (id: number) => take(id)?.action?.run();
  const dismiss = (id: number) => take(id)?.onExpire?.();

  return {
    store,
    dismiss,
    runAction,
    /** Runs the action of the newest toast that has one; false if none has. */
    runLatestAction: (): boolean => {
      const toast = store.getState().findLast((each) => each.action !== undefined);
      if (toast !== undefined) runAction(toast.id);
      return toast !== undefined;
    },
    show: (text: string, options: ToastOptions = {}): number => {
      const id = nextId++;
      const { milliseconds = options.tone === 'bad' ? 9000 : 4500, ...rest } = options;
      for (const old of store.getState().slice(0, -(MAX_SHOWN - 1))) dismiss(old.id);
      store.setState([...store.getState(), { id, text, tone: 'plain', milliseconds, ...rest }], true);
      return id;
    },
  };
};
export type Toasts = ReturnType<typeof createToasts>;
