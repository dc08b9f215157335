import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../contract/client.ts';
import { followMessages, type StreamMessage } from '../contract/event-stream.ts';
import { parseServerEvent } from '../contract/events.ts';
import type { Progress } from '../contract/job.ts';
import type { TranscriptSummary } from '../contract/transcript.ts';

/** The longest that the end of the program waits for a recording; what the service has by then is kept anyway. */
const SAVE_LIMIT_MS = 10_000;

/** Follows whether the window records. `askToSave` tells the window to end its recording, and to say when it is stored. */
export const watchRecording = (askToSave: () => void) => {
  let isOn = false;
  let onSaved = (): void => undefined;
  return {
    isOn: (): boolean => isOn,
    set: (value: boolean): void => {
      isOn = value;
    },
    saved: (): void => onSaved(),
    /** Ends a recording and stores what it has. */
    save: async (): Promise<void> => {
      if (!isOn) return;
      const saved = new Promise<void>((resolve) => {
        onSaved = resolve;
      });
      askToSave();
      await Promise.race([saved, delay(SAVE_LIMIT_MS)]);
      isOn = false;
    },
  };
};

/** A job that waits or runs. */
type Job = { readonly isWaiting: boolean; readonly percent: number };

/** The owner's queue, as the desktop shows it. */
export type Activity = { readonly isPaused: boolean; readonly jobs: ReadonlyMap<string, Job> };

export const IDLE: Activity = { isPaused: false, jobs: new Map() };

/** A transcription that has ended. */
export type EndedJob = { readonly id: string; readonly name: string; readonly failure?: string };

const jobOf = ({ stage, percent }: Progress): Job => ({ isWaiting: stage === 'queued', percent });

type Step = { readonly activity: Activity; readonly ended?: EndedJob };

const without = ({ isPaused, jobs }: Activity, id: string): Activity => ({
  isPaused,
  jobs: new Map([...jobs].filter(([each]) => each !== id)),
});

const withJobs = ({ isPaused, jobs }: Activity, started: readonly TranscriptSummary[]): Activity => ({
  isPaused,
  jobs: new Map([
    ...jobs,
    ...started.flatMap(({ id, progress }): [string, Job][] =>
      progress === undefined ? [] : [[id, jobOf(progress)]],
    ),
  ]),
});

const afterFailure = (activity: Activity, { id, name, error }: TranscriptSummary): Step => {
  const after = without(activity, id);
  // Who canceled it knows.
  if (error?.code === 'cancelled') return { activity: after };
  return { activity: after, ended: { id, name, failure: error?.message ?? '' } };
};

/** The activity after an event of `GET /v1/events`, and the job that it ended, if it did. */
export const afterEvent = (activity: Activity, { event: type, data }: StreamMessage): Step => {
  const event = parseServerEvent(type, data);
  switch (event?.type) {
    case 'snapshot':
      return { activity: withJobs({ isPaused: event.queue_paused, jobs: new Map() }, event.processing) };
    case 'transcript.created':
      return { activity: withJobs(activity, [event.transcript]) };
    case 'transcript.progress': {
      const jobs = new Map(activity.jobs).set(event.id, jobOf(event.progress));
      return { activity: { ...activity, jobs } };
    }
    case 'transcript.completed': {
      const { id, name } = event.transcript;
      return { activity: without(activity, id), ended: { id, name } };
    }
    case 'transcript.failed':
      return afterFailure(activity, event.transcript);
    case 'transcript.deleted':
      return { activity: without(activity, event.id) };
    case 'queue.changed':
      return { activity: { ...activity, isPaused: event.paused } };
    default:
      return { activity };
  }
};

/** Numbers of jobs, and the share of the running ones that is done, 0 to 1; undefined while none runs. */
export const summaryOf = ({ jobs, isPaused }: Activity) => {
  const running = [...jobs.values()].filter(({ isWaiting }) => !isWaiting);
  const percent = running.reduce((sum, job) => sum + job.percent, 0) / running.length;
  return {
    running: running.length,
    waiting: jobs.size - running.length,
    isPaused,
    share: running.length === 0 ? undefined : percent / 100,
  };
};
export type Summary = ReturnType<typeof summaryOf>;

type Follower = {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly onActivity: (activity: Activity) => void;
  readonly onEnded: (job: EndedJob) => void;
};

/** Follows the service's events until the signal fires. */
export const followActivity = async ({ client, signal, onActivity, onEnded }: Follower): Promise<void> => {
  let activity = IDLE;
  const messages = followMessages({
    open: (after) =>
      client.send('events', { headers: after === undefined ? {} : { 'last-event-id': after }, signal }),
    signal,
    isFinal: () => false,
  });
  for await (const message of messages) {
    const step = afterEvent(activity, message);
    activity = step.activity;
    onActivity(activity);
    if (step.ended !== undefined) onEnded(step.ended);
  }
};
