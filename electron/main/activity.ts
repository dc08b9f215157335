import { z } from 'zod';
import type { Client } from '../contract/client.ts';
import { followMessages, type StreamMessage } from '../contract/event-stream.ts';
import { JobError, Progress } from '../contract/job.ts';

/** A job that waits or runs. */
type Job = { readonly isWaiting: boolean; readonly percent: number };

/** The owner's queue, as the desktop shows it. */
export type Activity = { readonly isPaused: boolean; readonly jobs: ReadonlyMap<string, Job> };

export const IDLE: Activity = { isPaused: false, jobs: new Map() };

/** A transcription that has ended; without a name where that would mean to parse hours of text. */
export type EndedJob = { readonly id: string; readonly name?: string; readonly failure?: string };

const Started = z.object({ id: z.string(), progress: Progress.optional() });
const Ended = z.object({
  transcript: z.object({ id: z.string(), name: z.string(), error: JobError.optional() }),
});

/** The events that the desktop follows; of a transcript, only what is small. */
const PARTS = {
  snapshot: z.object({ processing: z.array(Started), queue_paused: z.boolean() }),
  'transcript.created': z.object({ transcript: Started }),
  'transcript.progress': z.object({ id: z.string(), progress: Progress }),
  'transcript.deleted': z.object({ id: z.string() }),
  'queue.changed': z.object({ paused: z.boolean() }),
} as const;

const jobOf = ({ stage, percent }: Progress): Job => ({ isWaiting: stage === 'queued', percent });

/** Parses an event's data; undefined where it is not as expected. */
const parse = <T extends z.ZodType>(schema: T, data: string): z.output<T> | undefined =>
  schema.safeParse(JSON.parse(data)).data;

/** Parsing this many characters takes milliseconds of the thread that also answers the window. */
const MAX_PARSED = 500_000;

const completedOf = (data: string): EndedJob | undefined => {
  if (data.length <= MAX_PARSED) return parse(Ended, data)?.transcript;
  // The first id in a transcript's JSON is its own.
  const id = /"id":"(tr_[0-9A-Z]{26})"/.exec(data)?.[1];
  return id === undefined ? undefined : { id };
};

type Step = { readonly activity: Activity; readonly ended?: EndedJob };

const without = ({ isPaused, jobs }: Activity, id: string): Activity => ({
  isPaused,
  jobs: new Map([...jobs].filter(([each]) => each !== id)),
});

const withJobs = ({ isPaused, jobs }: Activity, started: readonly z.output<typeof Started>[]): Activity => ({
  isPaused,
  jobs: new Map([
    ...jobs,
    ...started.flatMap(({ id, progress }): [string, Job][] =>
      progress === undefined ? [] : [[id, jobOf(progress)]],
    ),
  ]),
});

/** The activity after an event of `GET /v1/events`, and the job that it ended, if it did. */
export const afterEvent = (activity: Activity, { event, data }: StreamMessage): Step => {
  switch (event) {
    case 'snapshot': {
      const snapshot = parse(PARTS.snapshot, data);
      if (snapshot === undefined) return { activity };
      return {
        activity: withJobs({ isPaused: snapshot.queue_paused, jobs: new Map() }, snapshot.processing),
      };
    }
    case 'transcript.created': {
      const created = parse(PARTS['transcript.created'], data);
      return { activity: created === undefined ? activity : withJobs(activity, [created.transcript]) };
    }
    case 'transcript.progress': {
      const progress = parse(PARTS['transcript.progress'], data);
      if (progress === undefined) return { activity };
      const { id } = progress;
      const jobs = new Map(activity.jobs).set(id, jobOf(progress.progress));
      return { activity: { ...activity, jobs } };
    }
    case 'transcript.completed': {
      const completed = completedOf(data);
      if (completed === undefined) return { activity };
      const { id, name } = completed;
      return { activity: without(activity, id), ended: { id, name } };
    }
    case 'transcript.failed': {
      const failed = parse(Ended, data)?.transcript;
      if (failed === undefined) return { activity };
      const after = without(activity, failed.id);
      // Whoever canceled it knows.
      if (failed.error?.code === 'cancelled') return { activity: after };
      const { id, name, error } = failed;
      return { activity: after, ended: { id, name, failure: error?.message ?? '' } };
    }
    case 'transcript.deleted': {
      const deleted = parse(PARTS['transcript.deleted'], data);
      return { activity: deleted === undefined ? activity : without(activity, deleted.id) };
    }
    case 'queue.changed': {
      const queue = parse(PARTS['queue.changed'], data);
      return { activity: queue === undefined ? activity : { ...activity, isPaused: queue.paused } };
    }
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
