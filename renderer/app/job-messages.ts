import { useEffect } from 'react';
import { useI18n, useServices } from './services.tsx';

/** Tells when a job ends while the window is not looked at, where the system lets it: the desktop program does. */
export const useJobMessages = () => {
  const { client, live, router } = useServices();
  const { t } = useI18n();
  useEffect(
    () =>
      live.listen((event) => {
        if (event.type !== 'transcript.completed' && event.type !== 'transcript.failed') return;
        if (document.hasFocus() || !('Notification' in window) || Notification.permission !== 'granted')
          return;
        const { id } = event.transcript;
        const title = t(event.type === 'transcript.completed' ? 'message.completed' : 'message.failed');
        client.call('getTranscript', { params: { id } }).then(
          ({ name, error }) => {
            const message = new Notification(title, {
              body: error === undefined ? name : `${name}: ${error.message}`,
              tag: id,
            });
            message.addEventListener('click', () => {
              window.focus();
              router.go({ screen: 'transcript', id, at: undefined });
            });
          },
          // Deleted in the same moment: there is nothing to tell any more.
          () => undefined,
        );
      }),
    [client, live, router, t],
  );
};
