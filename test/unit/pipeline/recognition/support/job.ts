import { throwIfAborted } from '../../../../../electron/core/base/abort.ts';
import { silentLogger } from '../../../../../electron/core/base/logger.ts';
import type { AudioChunk } from '../../../../../electron/core/engines/ffmpeg/types.ts';
import { firstCheckpoint } from '../../../../../electron/core/pipeline/checkpoint.ts';
import type { JobProgress } from '../../../../../electron/core/pipeline/deps.ts';
import {
  type RecognizeAudioOptions,
  recognizeAudio,
} from '../../../../../electron/core/pipeline/recognition/chunk-scheduler.ts';
import type { RecognitionCheckpoint } from '../../../../../electron/core/stores/codecs.ts';
import { claimNext } from '../../../../../electron/core/stores/jobs.ts';
import { readSegments, type StoredSegment } from '../../../../../electron/core/stores/segments.ts';
import { findTranscript } from '../../../../../electron/core/stores/transcripts.ts';
import { addJob, openTestDatabase } from '../../../../support/database.ts';
import {
  chunkOf,
  FakeEngine,
  PARAKEET,
  WHISPER,
  whisperResult,
  whisperSegment,
} from '../../../../support/fake-engine.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const RUN = 'this run';

/** Chunks of ten seconds that follow one another. */
export const chunks = (count: number) =>
  Array.from({ length: count }, (_, index) => chunkOf({ index, start: index * 10, seconds: 10 }));

/** Names each result by the order in which the engine was asked. */
export const numbering = (concurrency = 1) =>
  new FakeEngine((_, call) => whisperResult(whisperSegment(`Text ${call}`)), concurrency);

type JobOptions = {
  readonly engine: FakeEngine;
  readonly chunks: readonly AudioChunk[];
  /** Default: `en`, so that no language is detected. */
  readonly language?: string;
  /** Called before each chunk is decoded. */
  readonly beforeChunk?: (chunk: AudioChunk) => Promise<void> | void;
  readonly seconds?: number;
  /** The chunks of each channel, which are recognized by themselves in place of `chunks`. */
  readonly channels?: readonly (readonly AudioChunk[])[];
  /** Of the family that hears several languages and tells none. */
  readonly isParakeet?: boolean;
  readonly request?: Parameters<typeof addJob>[3];
};

/** A claimed job on a real database, with a fake decoder and engine, and what it told its runner. */
export const startJob = ({
  engine,
  chunks,
  language = 'en',
  beforeChunk,
  seconds = 60,
  channels,
  isParakeet = false,
  request = {},
}: JobOptions) => {
  const folder = temporaryFolder();
  const db = openTestDatabase(folder);
  addJob(db, 'usr_1', {}, { language, ...request });
  const transcript = claimNext(db, RUN, 2);
  if (transcript === undefined) throw new Error('Nothing was claimed.');

  const progress: JobProgress[] = [];
  const saved: StoredSegment[] = [];
  const events: string[] = [];
  const warnings: object[] = [];
  const speeds: number[] = [];
  const resumes: unknown[] = [];
  const pcms: Float32Array[] = [];
  const controller = new AbortController();
  let now = 0;

  const read = async function* (own: readonly AudioChunk[], signal: AbortSignal | undefined, from: number) {
    for (const chunk of own) {
      if (chunk.index < from) continue;
      await beforeChunk?.(chunk);
      throwIfAborted(signal);
      events.push(`decoded ${chunk.index}`);
      // In new memory, as each decode's chunks are: their reader frees it.
      const decoded = { ...chunk, pcm: chunk.pcm.slice() };
      pcms.push(decoded.pcm);
      yield decoded;
    }
  };
  const deps: RecognizeAudioOptions['deps'] = {
    db,
    clock: { now: () => 1, monotonic: () => now, schedule: () => () => {} },
    logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
    settings: {
      beamSize: () => 5,
      maxDownloadBytes: () => 1e9,
      stallSeconds: () => 30,
      pages: () => false,
      creditRate: () => 1,
    },
    media: {
      decodeChunks: (_, { resume, signal, select } = {}) => {
        resumes.push(resume);
        return {
          chunks: read(channels?.[select?.channel ?? 0] ?? chunks, signal, resume?.index ?? 0),
          summary: () => ({ duration: seconds, warnings: [] }),
        };
      },
    },
    engine,
    speechModel: '/speech.bin',
    models: {
      speedOf: () => undefined,
      saveSpeed: (_, speed) => speeds.push(speed),
      languageDetector: () => ({ path: '/whisper.bin' }),
    },
  };

  const fresh: RecognitionCheckpoint = {
    ...firstCheckpoint(0, {
      source: 'fake source',
      model: 'fake-model',
      streams: channels?.length ?? 1,
    }),
    language: language === 'auto' ? null : language,
  };

  return {
    db,
    transcript,
    controller,
    events,
    progress,
    saved,
    warnings,
    speeds,
    resumes,
    /** The sound of each chunk that was read. */
    pcms,
    /** Lets time pass for the clock that measures speed. */
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
    run: (checkpoint: RecognitionCheckpoint = fresh) =>
      recognizeAudio({
        deps,
        context: {
          transcript,
          signal: controller.signal,
          onProgress: (latest) => progress.push(latest),
          onSegmentsSaved: (segments) => {
            saved.push(...segments);
            events.push(`saved ${segments.map(({ text }) => text).join(' ')}`);
          },
          onDraining: () => events.push('draining'),
        },
        source: {
          input: { kind: 'file', path: '/talk.mp3' },
          bytesFetched: () => 7,
          throwIfFailed: () => {},
        },
        model: {
          id: 'fake-model',
          path: '/model.bin',
          standsInFor: null,
          capabilities: isParakeet ? PARAKEET : WHISPER,
        },
        checkpoint,
        range: { start: 0, end: null, expectedEnd: seconds },
        chunking: {},
        streams: channels?.map((_, channel) => ({ channel, select: { track: 0, channel } })) ?? [
          { channel: null },
        ],
        folder,
        audio: null,
      }),
    segments: () => readSegments(db, transcript.id),
    checkpoint: () => {
      const checkpoint = findTranscript(db, transcript.id)?.checkpoint;
      return checkpoint?.kind === 'recognition' ? checkpoint : undefined;
    },
  };
};
