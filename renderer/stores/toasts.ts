import { createStore } from 'zustand/vanilla';

type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void };
};

type ToastOptions = Partial<Pick<Toast, 'tone' | 'action'>> & { readonly milliseconds?: number };

/** Short messages at the bottom of the window, newest last. */
export const createToasts = () => {
  const store = createStore<readonly Toast[]>(() => []);
  const timers = new Map<number, ReturnType<typeof setTimeout>>();
  let nextId = 1;

  const dismiss = (id: number) => {
    clearTimeout(timers.get(id));
    timers.delete(id);
    store.setState(
      store.getState().filter((toast) => toast.id !== id),
      true,
    );
  };

  return {
    store,
    dismiss,
    /** Runs the action of the newest toast that has one; false if none has. */
    runLatestAction: (): boolean => {
      const toast = store.getState().findLast((each) => each.action !== undefined);
      if (toast === undefined) return false;
      toast.action?.run();
      dismiss(toast.id);
      return true;
    },
    show: (text: string, options: ToastOptions = {}): number => {
      const id = nextId++;
      const { milliseconds = options.tone === 'bad' ? 9000 : 4500, ...rest } = options;
      store.setState([...store.getState().slice(-3), { id, text, tone: 'plain', ...rest }], true);
      timers.set(
        id,
        setTimeout(() => dismiss(id), milliseconds),
      );
      return id;
    },
  };
};
export type Toasts = ReturnType<typeof createToasts>;
