import { describe, expect, it } from 'vitest';
import { type Activity, afterEvent, IDLE, summaryOf } from '../../../electron/main/activity.ts';
import { desktopTexts } from '../../../electron/main/texts/index.ts';
import {
  createNotifier,
  createProgressBar,
  createWakefulness,
  describeActivity,
  fillTray,
  trayTemplate,
} from '../../../electron/main/tray.ts';

const texts = desktopTexts(['en']);
const ID = `tr_${'0'.repeat(25)}1`;
const OTHER = `tr_${'0'.repeat(25)}2`;

const progress = (stage: string, percent: number) => ({
  stage,
  percent,
  queue_position: null,
  eta_seconds: null,
  speed: null,
});
const summary = (id: string, name: string) => ({ id, name, status: 'processing', revision: 1 });
const message = (event: string, body: object) => ({ id: '1', event, data: JSON.stringify(body) });
const activityAfter = (events: ReturnType<typeof message>[], start = IDLE): Activity =>
  events.reduce((activity, event) => afterEvent(activity, event).activity, start);

const RUNNING = activityAfter([
  message('snapshot', {
    processing: [
      { ...summary(ID, 'Talk'), progress: progress('transcribing', 20) },
      { ...summary(OTHER, 'Interview'), progress: progress('queued', 0) },
    ],
    queue_paused: false,
  }),
]);

describe('the activity of the queue', () => {
  it('counts running and waiting jobs, with the share that is done', () => {
    expect(summaryOf(IDLE)).toEqual({ running: 0, waiting: 0, isPaused: false, share: undefined });
    expect(summaryOf(RUNNING)).toEqual({ running: 1, waiting: 1, isPaused: false, share: 0.2 });
    const later = activityAfter(
      [
        message('transcript.progress', {
          id: OTHER,
          progress: progress('decoding', 40),
          segments_from: 0,
          segments: [],
        }),
        message('queue.changed', { paused: true }),
      ],
      RUNNING,
    );
    expect(summaryOf(later)).toEqual({ running: 2, waiting: 0, isPaused: true, share: 0.3 });
    expect(summaryOf(activityAfter([message('transcript.deleted', { id: ID })], RUNNING)).running).toBe(0);
  });

  it('tells which job has ended, and how', () => {
    const transcript = summary(ID, 'Talk');
    const error = { code: 'download_failed', message: 'The server is away.', stage: 'downloading' };
    const ended = (event: string, body: object) => afterEvent(RUNNING, message(event, { transcript: body }));
    expect(ended('transcript.completed', transcript).ended).toEqual({ id: ID, name: 'Talk' });
    expect(ended('transcript.failed', { ...transcript, error }).ended).toEqual({
      id: ID,
      name: 'Talk',
      failure: 'The server is away.',
    });
    const canceled = ended('transcript.failed', { ...transcript, error: { ...error, code: 'cancelled' } });
    expect(canceled.ended).toBeUndefined();
    expect(summaryOf(canceled.activity).running).toBe(0);
  });

  it('drops what is not as expected', () => {
    for (const event of ['snapshot', 'transcript.completed', 'transcript.progress', 'unheard.of'])
      expect(afterEvent(RUNNING, message(event, { id: 1 }))).toEqual({ activity: RUNNING });
  });
});

describe('the tray', () => {
  const summary = summaryOf(RUNNING);

  it('tells the state of the queue in one line', () => {
    expect(describeActivity(summaryOf(IDLE), texts)).toBe('No transcription is running');
    expect(describeActivity(summary, texts)).toBe('Transcribing: 20 % · 1 waiting');
    expect(describeActivity({ ...summary, isPaused: true, running: 0 }, texts)).toBe(
      '1 waiting · The queue is paused',
    );
  });

  it('offers the actions that fit the state, and is replaced only when its words change', () => {
    const done: string[] = [];
    const actions = {
      open: () => done.push('open'),
      openFiles: () => done.push('files'),
      setPaused: (isPaused: boolean) => done.push(`paused ${isPaused}`),
      quit: () => done.push('quit'),
    };
    let opened = () => {};
    let menus = 0;
    const update = fillTray({
      tray: {
        setToolTip: (text) => done.push(text),
        setContextMenu: () => {
          menus++;
        },
        on: (_event, listener) => {
          opened = listener;
        },
      },
      buildMenu: (template) => template,
      texts,
      actions,
    });
    update(summary);
    update(summary);
    expect([menus, done]).toEqual([1, ['Earshot – Transcribing: 20 % · 1 waiting']]);
    opened();
    expect(done.at(-1)).toBe('open');
    const labels = (isPaused: boolean) =>
      trayTemplate({ ...summary, isPaused }, texts, actions).flatMap(({ label }) => label ?? []);
    expect(labels(false)).toContain('Pause Queue');
    expect(labels(true)).toContain('Resume Queue');
  });
});

describe('notifications', () => {
  it('tell of an ended job while nobody looks, and a click opens it', () => {
    const shown: { title: string; body: string }[] = [];
    const clicks: (() => void)[] = [];
    const places: string[] = [];
    let isWatching = false;
    const notify = createNotifier({
      create: (options) => ({
        show: () => shown.push(options),
        on: (event, listener) => event === 'click' && clicks.push(listener),
      }),
      texts,
      isWatching: () => isWatching,
      show: (place) => places.push(place),
    });
    notify({ id: ID, name: 'Talk' });
    notify({ id: OTHER, name: 'Interview', failure: 'The disk is full.' });
    expect(shown).toEqual([
      { title: 'Transcription finished', body: 'Talk' },
      { title: 'Transcription failed', body: 'Interview: The disk is full.' },
    ]);
    clicks[0]?.();
    expect(places).toEqual([`/transcript/${ID}`]);
    isWatching = true;
    notify({ id: ID, name: 'Talk' });
    expect(shown).toHaveLength(2);
  });
});

describe('progress', () => {
  const idle = summaryOf(IDLE);
  const running = summaryOf(RUNNING);

  it('keeps the computer awake while a job runs', () => {
    const calls: string[] = [];
    const update = createWakefulness({
      start: (type) => calls.push(type),
      stop: (id) => calls.push(`stop ${id}`),
    });
    for (const summary of [idle, running, running, idle, idle]) update(summary);
    expect(calls).toEqual(['prevent-app-suspension', 'stop 1']);
  });

  it('shows the share that is done on the window that there is', () => {
    const shares: number[] = [];
    const bar = () => ({ setProgressBar: (share: number) => shares.push(share) });
    let window: ReturnType<typeof bar> | undefined;
    const update = createProgressBar(() => window);
    update(running);
    window = bar();
    for (const summary of [running, running, idle]) update(summary);
    window = bar();
    update(idle);
    expect(shares).toEqual([0.2, -1, -1]);
  });
});
