import { useEffect, useState } from 'react';
import { describeJobError } from '../api/errors.ts';
import type { LiveEvent } from '../api/live-events.ts';
import { callQuery } from '../api/queries.ts';
import { RUNNING_JOBS } from '../domain/running-jobs.ts';
import { type Services, useI18n, useServices } from '../hooks/services.tsx';
import { formatPercent } from '../lib/format.ts';

type EndEvent = Extract<LiveEvent, { type: 'transcript.completed' | 'transcript.failed' }>;

const isEndEvent = (event: LiveEvent): event is EndEvent =>
  event.type === 'transcript.completed' || event.type === 'transcript.failed';

/** Shows a system notification while the window is in the background; the desktop program shows its own. */
const showNotification = ({ router }: Services, id: string, title: string, body: string): void => {
  if (
    window.earshot !== undefined ||
    document.hasFocus() ||
    !('Notification' in window) ||
    Notification.permission !== 'granted'
  )
    return;
  const message = new Notification(title, { body, tag: id });
  message.addEventListener('click', () => {
    window.focus();
    router.go({ screen: 'transcript', param: id });
  });
};

/** Progress is announced in quarters: more often would interrupt a screen reader. */
const quarterOf = (progress: number): number => Math.floor(progress / 25) * 25;

/**
 * Returns the latest announcement on running and ended jobs for a live region, and shows a system notification when a
 * job ends.
 */
export const useJobAnnouncements = (): string => {
  const services = useServices();
  const { t, locale } = useI18n();
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    const { live, library, queries, client } = services;
    const quarters = new Map<string, number>();
    const announceProgress = async (id: string, progress: number) => {
      const quarter = quarterOf(progress);
      if (quarter === (quarters.get(id) ?? 0)) return;
      quarters.set(id, quarter);
      // Only the library and the queue have loaded the names.
      if (library.find(id) === undefined) await queries.prefetchQuery(callQuery(client, ...RUNNING_JOBS));
      const name = library.find(id)?.name;
      if (name !== undefined)
        setAnnouncement(t('stage.announcement', { name, share: formatPercent(quarter / 100, locale) }));
    };
    const announceEnd = (event: EndEvent) => {
      const { id, name, error } = event.transcript;
      quarters.delete(id);
      const hasFailed = event.type === 'transcript.failed';
      const reason = describeJobError(error, t);
      setAnnouncement(
        hasFailed ? t('message.failedOf', { name, reason }) : t('message.completedOf', { name }),
      );
      showNotification(
        services,
        id,
        t(hasFailed ? 'message.failed' : 'message.completed'),
        hasFailed ? `${name}: ${reason}` : name,
      );
    };
    return live.listen((event) => {
      if (event.type === 'transcript.progress') void announceProgress(event.id, event.progress.percent);
      if (isEndEvent(event)) announceEnd(event);
    });
  }, [services, t, locale]);
  return announcement;
};
