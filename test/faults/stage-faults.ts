import { equal, ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../electron/contract/client.ts';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { dealt } from '../support/dealt.ts';
import { fixture } from '../support/fixtures.ts';
import { startLanguageModel } from '../support/language-model.ts';
import { DIARIZER, descendants, expectGone, type Process, WORKER } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { file, stall } from '../support/url-server.ts';
import { slow } from './support/behaviors.ts';
import { type Fault, type FaultContext, LONG_SECONDS } from './support/context.ts';

/** A stage that a job stays in for some seconds, or until it is stopped. */
type JobStage = {
  readonly name: string;
  /** Starts a job, waits until it is in that stage, and returns its id. */
  reach(context: FaultContext, server: TestServer): Promise<string>;
  /** Whether the text so far is kept when the job is cancelled. */
  readonly keepsText: boolean;
};

const SLOW_BYTES_PER_SECOND = 400_000;

const slowRecording = (context: FaultContext) =>
  context.urls.set('/slow.wav', slow(context.long, SLOW_BYTES_PER_SECOND));

const neverEnding = (context: FaultContext) =>
  context.urls.set('/never-ending.wav', slow(context.long, 5_000_000, new Promise<void>(() => {})));

/** Starts a job and waits for its stage. */
const startAndReach = async (
  context: FaultContext,
  server: TestServer,
  { url, stage, ...extra }: { url: string; stage: string } & Record<string, unknown>,
  hasReached: (transcript: Transcription) => boolean = () => true,
): Promise<string> => {
  const id = await context.submit(server, url, extra);
  const { status, progress, error } = await context.beyond(
    server,
    id,
    (transcript) => transcript.progress?.stage === stage && hasReached(transcript),
  );
  equal(status, 'processing', `${stage} ended too soon: ${error?.message}`);
  equal(progress?.stage, stage);
  return id;
};

const spokenSecrets = (context: FaultContext) =>
  context.urls.set('/secrets.m4a', file(fixture('04-personal-data.m4a')));

const STAGES: readonly JobStage[] = [
  {
    name: 'queued',
    keepsText: false,
    reach: async (context, server) => {
      await server.client.call('pauseQueue');
      return startAndReach(context, server, { url: context.urls.url('/short.wav'), stage: 'queued' });
    },
  },
  {
    name: 'downloading the model',
    keepsText: false,
    reach: async (context, server) => {
      const mirror = context.urls.set('/mirror/ggml-tiny.bin', stall(Buffer.alloc(75 * 2 ** 20), 200_000));
      const baseUrl = new URL('.', mirror).href.slice(0, -1);
      await context.borrow({ 'models.baseUrl': baseUrl, 'models.autoInstall': true });
      const url = context.urls.url('/short.wav');
      return startAndReach(context, server, { url, stage: 'downloading_model', model: 'tiny' });
    },
  },
  {
    name: 'downloading',
    keepsText: false,
    reach: (context, server) =>
      startAndReach(context, server, { url: slowRecording(context), stage: 'downloading' }),
  },
  {
    name: 'decoding',
    keepsText: false,
    // A time range is read through the range reader, whose first block arrives slowly.
    reach: (context, server) => {
      const url = context.urls.set('/slower.wav', slow(context.long, SLOW_BYTES_PER_SECOND / 10));
      return startAndReach(context, server, { url, stage: 'decoding', audio_end_at: LONG_SECONDS - 1 });
    },
  },
  {
    name: 'transcribing',
    keepsText: true,
    reach: (context, server) =>
      startAndReach(
        context,
        server,
        // Its end never comes, so that a busy machine does not transcribe minutes of it meanwhile.
        { url: neverEnding(context), stage: 'transcribing', audio_end_at: LONG_SECONDS + 100 },
        ({ segments }) => segments.length > 0,
      ),
  },
  {
    name: 'diarizing',
    keepsText: true,
    reach: (context, server) =>
      startAndReach(context, server, {
        url: context.urls.url('/medium.wav'),
        stage: 'diarizing',
        diarize: true,
        model: 'starter-parakeet',
      }),
  },
  {
    name: 'analyzing, while the language model does not answer',
    keepsText: true,
    reach: async (context, server) => {
      const model = await startLanguageModel(() => undefined);
      context.onClose(() => model.close());
      await context.borrow({ 'llm.url': model.baseUrl, 'llm.model': 'small' });
      const url = context.urls.url('/short.wav');
      const id = await startAndReach(context, server, { url, stage: 'analyzing', summarization: true });
      await until(() => model.requests.length > 0);
      return id;
    },
  },
  {
    name: 'checking the bleeped audio',
    keepsText: false,
    reach: (context, server) =>
      startAndReach(
        context,
        server,
        {
          url: spokenSecrets(context),
          stage: 'analyzing',
          redact_pii: true,
          // Half of the secrets: the check still takes many times as long as a look at the job.
          audio_end_at: 32,
        },
        ({ progress }) => (progress?.percent ?? 0) >= 97,
      ),
  },
];

/** The server's processes without the engine, which outlives a job. */
const jobProcesses = (server: TestServer): Process[] =>
  descendants(server.pid).filter(({ command }) => !WORKER.test(command) || DIARIZER.test(command));

const PATIENCE_MS = 100_000;

/** Names the stage in the error when `work` fails or does not end. */
const at = async <T>({ name }: JobStage, doing: string, work: Promise<T>): Promise<T> => {
  const late = delay(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('it did not end');
  });
  return Promise.race([work, late]).catch((error: unknown) => {
    throw new Error(`${doing} at "${name}": ${error instanceof Error ? error.message : error}`);
  });
};

/** Ends a job in each of `stages`, all on the shared server. */
const inEachStage = async (
  context: FaultContext,
  stages: readonly JobStage[],
  end: (server: TestServer, id: string, stage: JobStage) => Promise<void>,
): Promise<string> => {
  const server = await context.borrow();
  const times: number[] = [];
  for (const stage of stages) {
    const id = await at(stage, 'reaching the stage', stage.reach(context, server));
    const running = jobProcesses(server);
    const started = performance.now();
    await at(stage, 'ending the job', end(server, id, stage));
    times.push(performance.now() - started);
    await server.client.call('resumeQueue');
    await at(stage, 'cleaning up', expectGone(running));
    await context.expectNoOrphans(server);
  }
  // The engine is free: no ended job still uses it.
  await context.expectTruth(
    server,
    await context.submit(server, context.urls.url('/short.wav')),
    '/short.wav',
  );
  return `${stages.length} stages; ended within ${Math.max(...times).toFixed(0)} ms, no process and no file left`;
};

export const stageFaults: readonly Fault[] = [
  {
    name: 'cancelled in each stage',
    quick: true,
    run: (context) =>
      inEachStage(context, dealt(STAGES, 0, 2), async (server, id, { keepsText }) => {
        await server.client.call('cancelTranscript', { params: { id } });
        const { text } = await context.expectFailed(server, id, 'cancelled');
        equal(text.length > 0, keepsText, 'the text so far is kept unless it is to be redacted');
      }),
  },
  {
    name: 'deleted in each stage',
    quick: true,
    run: (context) =>
      inEachStage(context, dealt(STAGES, 1, 2), async (server, id) => {
        await server.client.call('deleteTranscript', { params: { id } });
        const status = await context.get(server, id).then(
          () => 200,
          (error: unknown) => (error instanceof ApiError ? error.status : 0),
        );
        equal(status, 404);
        const { data } = await server.client.call('listTranscripts');
        ok(data.transcriptions.every((each) => each.id !== id));
      }),
  },
];
