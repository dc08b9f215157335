import type { EndedJob } from './activity.ts';
import type { DesktopTexts } from './texts/index.ts';

/** The part of Electron's `Notification` that this module uses. */
export type NotificationPart = {
  on(event: 'click' | 'close', listener: () => void): unknown;
  show(): void;
};

type Deps = {
  readonly create: (options: { title: string; body: string }) => NotificationPart;
  readonly texts: DesktopTexts;
  /** Whether the person looks at the window, which says so itself. */
  readonly isWatching: () => boolean;
  readonly show: (place: string) => void;
};

/** Returns the function that shows a notification when a job has ended; a click on it opens the transcript. */
export const createNotifier = ({ create, texts, isWatching, show }: Deps): ((job: EndedJob) => void) => {
  // Until they are closed: a notification that is garbage collected loses its listeners.
  const shown = new Set<NotificationPart>();
  return ({ id, name, failure }) => {
    if (isWatching()) return;
    const notification = create({
      title: failure === undefined ? texts.completed : texts.failed,
      body: [name, failure ?? ''].filter((part) => part !== '').join(': '),
    });
    shown.add(notification);
    notification.on('close', () => shown.delete(notification));
    notification.on('click', () => {
      shown.delete(notification);
      show(`/transcript/${id}`);
    });
    notification.show();
  };
};
