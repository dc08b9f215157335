import { equal, ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../electron/contract/client.ts';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { talk } from '../support/audio.ts';
import { fixture } from '../support/fixtures.ts';
import { startLanguageModel } from '../support/language-model.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { file, stall } from '../support/url-server.ts';
import { slow } from './support/behaviors.ts';
import { type Fault, type FaultContext, LONG_SECONDS } from './support/context.ts';
import { descendants, expectGone, type Process, WORKER } from './support/processes.ts';

/** A point in the life of a job that lasts until somebody does something about it, or for some seconds. */
type Moment = {
  readonly name: string;
  /** Starts a job and waits until it is there; answers its id. */
  reach(context: FaultContext, server: TestServer): Promise<string>;
  /** Whether what was recognised is there after cancelling. */
  readonly keepsText: boolean;
};

const SLOW = 400_000;
/** More than any machine recognises before it is told to stop. */
const MUCH_SECONDS = 600;

const slowly = (context: FaultContext) => context.urls.set('/slow.wav', slow(context.long, SLOW));

/** Starts a job and waits for its stage. */
const startAndReach = async (
  context: FaultContext,
  server: TestServer,
  { url, stage, ...extra }: { url: string; stage: string } & Record<string, unknown>,
  isThere: (transcript: Transcription) => boolean = () => true,
): Promise<string> => {
  const id = await context.submit(server, url, extra);
  await context.beyond(
    server,
    id,
    (transcript) => transcript.progress?.stage === stage && isThere(transcript),
  );
  const { status, progress, error } = await context.get(server, id);
  equal(status, 'processing', `${stage} was over too soon: ${error?.message}`);
  equal(progress?.stage, stage);
  return id;
};

const spokenSecrets = (context: FaultContext) =>
  context.urls.set('/secrets.m4a', file(fixture('04-personal-data.m4a')));

const MOMENTS: readonly Moment[] = [
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
      const body = { 'models.baseUrl': new URL('.', mirror).href.slice(0, -1), 'models.autoInstall': true };
      await server.client.call('patchSettings', { body });
      const url = context.urls.url('/short.wav');
      return startAndReach(context, server, { url, stage: 'downloading_model', model: 'tiny' });
    },
  },
  {
    name: 'downloading',
    keepsText: false,
    reach: (context, server) =>
      startAndReach(context, server, { url: slowly(context), stage: 'downloading' }),
  },
  {
    name: 'decoding',
    keepsText: false,
    // A range is read through the guarded reader, whose first block comes slowly.
    reach: (context, server) => {
      const url = context.urls.set('/slower.wav', slow(context.long, SLOW / 10));
      return startAndReach(context, server, { url, stage: 'decoding', audio_end_at: LONG_SECONDS - 1 });
    },
  },
  {
    name: 'transcribing',
    keepsText: true,
    reach: (context, server) => {
      const url = context.urls.set('/much.wav', file(talk(MUCH_SECONDS)));
      return startAndReach(
        context,
        server,
        { url, stage: 'transcribing' },
        ({ segments }) => segments.length > 0,
      );
    },
  },
  {
    name: 'telling speakers apart',
    keepsText: true,
    reach: (context, server) =>
      startAndReach(context, server, {
        url: context.urls.url('/medium.wav'),
        stage: 'diarizing',
        diarize: true,
      }),
  },
  {
    name: 'analysing, while the language model takes its time',
    keepsText: true,
    reach: async (context, server) => {
      const model = await startLanguageModel(() => undefined);
      context.onClose(() => model.close());
      await server.client.call('patchSettings', { body: { 'llm.url': model.baseUrl, 'llm.model': 'small' } });
      const url = context.urls.url('/short.wav');
      const id = await startAndReach(context, server, { url, stage: 'analyzing', summarization: true });
      await until(() => model.requests.length > 0);
      return id;
    },
  },
  {
    name: 'hearing the bleeped audio again',
    keepsText: false,
    reach: (context, server) =>
      startAndReach(
        context,
        server,
        { url: spokenSecrets(context), stage: 'analyzing', redact_pii: true },
        ({ progress }) => (progress?.percent ?? 0) >= 97,
      ),
  },
];

/** What runs for a job: everything that the server started but the engine, which stays for the next job. */
const startedFor = (server: TestServer): Process[] =>
  descendants(server.pid).filter(({ command }) => !WORKER.test(command) || command.includes('--diarizer'));

const MOST_MS = 1000;
const PATIENCE_MS = 100_000;

/** Does something at a moment; says at which when that fails, or does not come to an end. */
const at = async <T>({ name }: Moment, doing: string, work: Promise<T>): Promise<T> => {
  const late = delay(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('it did not come to an end');
  });
  return Promise.race([work, late]).catch((error: unknown) => {
    throw new Error(`${doing} at "${name}": ${error instanceof Error ? error.message : error}`);
  });
};

/** Goes through all moments on one server, and ends a job in each. */
const throughAll = async (
  context: FaultContext,
  end: (server: TestServer, id: string, moment: Moment) => Promise<void>,
): Promise<string> => {
  const server = await context.start();
  const times: number[] = [];
  for (const moment of MOMENTS) {
    const id = await at(moment, 'getting there', moment.reach(context, server));
    const running = startedFor(server);
    const started = performance.now();
    await at(moment, 'ending', end(server, id, moment));
    times.push(performance.now() - started);
    await server.client.call('resumeQueue');
    await at(moment, 'looking at what is left', expectGone(running, MOST_MS));
    await context.expectNoOrphans(server);
  }
  // The engine is free: what was ended does not go on behind the curtain.
  await context.expectTruth(
    server,
    await context.submit(server, context.urls.url('/short.wav')),
    '/short.wav',
  );
  return `${MOMENTS.length} stages; ended after ${Math.max(...times).toFixed(0)} ms at most, no process and no file left`;
};

export const stageFaults: readonly Fault[] = [
  {
    name: 'cancelled in each stage',
    quick: true,
    run: (context) =>
      throughAll(context, async (server, id, { keepsText }) => {
        await server.client.call('cancelTranscript', { params: { id } });
        const { text } = await context.expectFailed(server, id, 'cancelled');
        equal(text.length > 0, keepsText, 'the text up to there is kept, unless it is private');
      }),
  },
  {
    name: 'deleted in each stage',
    quick: true,
    run: (context) =>
      throughAll(context, async (server, id) => {
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
