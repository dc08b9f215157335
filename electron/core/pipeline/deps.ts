import type { Stage } from '../../contract/job.ts';
import { presentWarning, type StoredWarning, warningOf } from '../../contract/warnings.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { DataPaths } from '../base/paths.ts';
import type { Diarizer } from '../engines/diarizer/diarizer.ts';
import type { DiarizationModels } from '../engines/diarizer/tasks.ts';
import type { MediaEngine } from '../engines/ffmpeg/types.ts';
import type { HttpClient } from '../engines/net/types.ts';
import type { PageReader } from '../engines/pages/yt-dlp.ts';
import type { Capabilities } from '../engines/whisper/capabilities.ts';
import type { WhisperEngine } from '../engines/whisper/engine.ts';
import type { Transcript } from '../stores/codecs.ts';
import type { Database } from '../stores/database.ts';
import type { StoredSegment } from '../stores/segments.ts';
import type { Analyzer } from './findings/analyze.ts';

/** How far a job is. */
export type JobProgress = {
  readonly stage: Stage;
  /** Of the whole job. The runner never lets it go back. */
  readonly percent: number;
  readonly etaSeconds: number | null;
  /** Times real time. */
  readonly speed: number | null;
};

/** A claimed job, and the callbacks of its runner. */
export type JobContext = {
  /** As of the claim. Every write carries its `attempt`. */
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JobProgress) => void;
  /** Called with segments, in order, after they are saved. */
  readonly onSegmentsSaved: (segments: readonly StoredSegment[]) => void;
  /** All chunks are submitted to the engine; only their results and the analyses are outstanding. */
  readonly onDraining: () => void;
};

/** Runs a claimed job until it is completed; throws an AppError if it fails. */
export type JobWork = (context: JobContext) => Promise<void>;

/** Why a running job is aborted: the reason of its signal. */
export type StopReason = 'cancelled' | 'shutdown' | 'deleted';

/** Settings, read when they are needed, so that a change takes effect in running jobs. */
export type PipelineSettings = {
  maxDownloadBytes(): number;
  stallSeconds(): number;
  beamSize(): number;
  /** Whether yt-dlp may look for recordings in web pages. */
  pages(): boolean;
  /** Credits per minute of audio. */
  creditRate(model: string): number;
};

export type PipelineModel = {
  readonly id: string;
  readonly path: string;
  /** The id of the model that the request means, if this one answers in its place; else null. */
  readonly standsInFor: string | null;
  readonly capabilities: Capabilities;
};

export type PipelineModels = {
  /** Finds a model by name; downloads it first if that is allowed. Throws `model_not_installed`, `cancelled`. */
  prepare(
    name: string,
    options: {
      readonly signal: AbortSignal;
      /** The share that is downloaded, 0 to 1. */
      readonly onDownload: (share: number) => void;
    },
  ): Promise<PipelineModel>;
  canTranslate(name: string): boolean;
  /** A model that finds out which language is spoken, for models that do not. */
  languageDetector(): Pick<PipelineModel, 'path'>;
  /** Speed of earlier transcriptions with this model, times real time. */
  speedOf(id: string): number | undefined;
  saveSpeed(id: string, speed: number): void;
};

/** The diarization models in use; `id` is that of the embedding model. */
/** A part of the diarization is not installed. */
export class MissingSpeakerModel extends AppError {
  readonly warning: StoredWarning;

  constructor(model: string) {
    const warning = warningOf('speakers_model_missing', { model });
    super('model_not_installed', presentWarning(warning).message);
    this.warning = warning;
  }
}

export type SpeakerModels = DiarizationModels & {
  readonly id: string;
  /** Embeddings of two recordings with at least this cosine similarity are one speaker. */
  readonly sameVoiceCosine: number;
};

export type PipelineFiles = {
  /** As `locate`, for the file of a user that `storage:{key}` names. */
  locateOwn(
    userId: string,
    reference: string,
  ): Promise<{ path: string; name: string; size: number } | undefined>;
  /** A readable local path of a stored file; undefined if it no longer exists. */
  locate(fileId: string): Promise<{ path: string; name: string; size: number } | undefined>;
  /**
   * Deletes the stored file that a transcript was made from, inside a transaction; undefined while another transcript
   * that was made from it did not ask for that, too. Call the result right after the commit: it removes the bytes. After a crash in between, the next
   * start does.
   */
  discard(fileId: string, transcriptId: string): (() => Promise<void>) | undefined;
};

/** What a job needs. */
export type PipelineDeps = {
  readonly db: Omit<Database, 'close' | 'wasClean'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly paths: DataPaths;
  readonly media: MediaEngine;
  readonly http: HttpClient;
  readonly pages: PageReader;
  readonly engine: WhisperEngine;
  /** The path of the model that finds speech. */
  readonly speechModel: string;
  readonly settings: PipelineSettings;
  readonly models: PipelineModels;
  readonly files: PipelineFiles;
  readonly analyze: Analyzer;
  /** Whether a language model is configured, which summarizes in any language. */
  readonly hasSummarizer: () => boolean;
  readonly diarize: Diarizer;
  /** Throws `model_not_installed`. */
  readonly speakerModels: () => SpeakerModels;
};
