import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateTranscript } from '../../../../electron/contract/transcript.ts';
import { silentLogger } from '../../../../electron/core/base/logger.ts';
import { dataPaths } from '../../../../electron/core/base/paths.ts';
import type { AudioChunk } from '../../../../electron/core/engines/ffmpeg/types.ts';
import type { JobProgress, PipelineModel, StopReason } from '../../../../electron/core/pipeline/deps.ts';
import { createAnalyzer } from '../../../../electron/core/pipeline/findings/analyze.ts';
import { createJobWork } from '../../../../electron/core/pipeline/job.ts';
import { claimNext, releaseJob } from '../../../../electron/core/stores/jobs.ts';
import { readSegments } from '../../../../electron/core/stores/segments.ts';
import { addJob, openTestDatabase, transcriptIn } from '../../../support/database.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { chunkOf, type FakeEngine, WHISPER } from '../../../support/fake-engine.ts';
import { FakeMedia } from '../../../support/fake-media.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** Shared, as in the product: its thread takes half a second to load the word lists. */
const analyze = createAnalyzer({ secret: 'secret', summarizer: () => undefined });

/** Consecutive chunks of ten seconds, whose samples are their index, so that an engine can tell them apart. */
export const chunksOf = (count: number): AudioChunk[] =>
  Array.from({ length: count }, (_, index) => {
    const chunk = chunkOf({ index, start: index * 10, seconds: 10 });
    return { ...chunk, pcm: chunk.pcm.fill(index) };
  });

const unused = (): never => {
  throw new Error('The job must not use this.');
};

type JobOptions = {
  readonly engine: FakeEngine;
  readonly media?: FakeMedia;
  readonly request?: Partial<Parameters<typeof CreateTranscript.parse>[0] & object>;
};

/** A job over an uploaded file, with real stores and analyses, and fake ffmpeg and Whisper. */
export const createJob = ({ engine, media = new FakeMedia(chunksOf(3)), request = {} }: JobOptions) => {
  const paths = dataPaths(temporaryFolder());
  for (const folder of [paths.temporary, paths.transcripts]) mkdirSync(folder);
  const upload = join(paths.root, 'talk.wav');
  writeFileSync(upload, 'sound');
  const db = openTestDatabase(paths.root);
  const clock = new FakeClock();
  const progress: JobProgress[] = [];
  const model: PipelineModel = {
    id: 'small',
    path: '/small.bin',
    standsInFor: null,
    capabilities: WHISPER,
  };
  /** What a test may replace. */
  const world = {
    model,
    /** The model that `verify_with` names. */
    verifier: { ...model, id: 'other', path: '/other.bin' },
    fileId: 'file_1' as string | undefined,
    fileName: 'talk.wav',
    prepareModel: async () => world.model,
  };
  const work = createJobWork({
    db,
    clock,
    logger: silentLogger,
    paths,
    media,
    engine,
    speechModel: '/speech.bin',
    http: { open: unused, tunnel: unused, close: unused },
    pages: { program: unused, inspect: unused, fetch: unused },
    settings: {
      beamSize: () => 5,
      maxDownloadBytes: () => 1e9,
      stallSeconds: () => 30,
      pages: () => false,
      creditRate: () => 2,
    },
    models: {
      prepare: async (name) => (name === 'other' ? world.verifier : world.prepareModel()),
      languageDetector: () => ({ path: '/whisper.bin' }),
      canTranslate: () => true,
      speedOf: () => undefined,
      saveSpeed: () => {},
    },
    files: {
      locate: async (id) =>
        id === world.fileId ? { path: upload, name: world.fileName, size: 5 } : undefined,
      locateOwn: unused,
      discard: unused,
    },
    analyze,
    hasSummarizer: () => false,
    diarize: unused,
    speakerModels: unused,
  });
  const id = addJob(db, 'usr_1', { fileId: 'file_1' }, { language: 'en', ...request });

  return {
    id,
    db,
    clock,
    media,
    world,
    progress,
    /** Claims the job and works on it; a test may abort it. */
    run: (controller = new AbortController()) => {
      const transcript = claimNext(db, 'this-run', clock.now());
      if (transcript === undefined) throw new Error('There is nothing to claim.');
      return work({
        transcript,
        signal: controller.signal,
        onProgress: (next) => progress.push(next),
        onSegmentsSaved: () => {},
        onDraining: () => {},
      });
    },
    /** Puts the job back into the queue, as the runner does at a shutdown. */
    release: () => releaseJob(db, id, transcriptIn(db, id).attempt),
    transcript: () => transcriptIn(db, id),
    words: () => readSegments(db, id).flatMap(({ words }) => words),
    texts: () => readSegments(db, id).map(({ text }) => text),
    hasWorkFolder: () => existsSync(join(paths.temporary, id)),
    fileOf: (name: string) => join(paths.transcripts, id, name),
  };
};

/** A signal that is aborted with a runner's reason. */
export const aborted = (reason: StopReason): AbortController => {
  const controller = new AbortController();
  controller.abort(reason);
  return controller;
};
