import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { DataPaths } from '../base/paths.ts';
import type { Diarizer } from '../engines/diarizer/diarizer.ts';
import type { DiarizationModels } from '../engines/diarizer/types.ts';
import type { MediaEngine } from '../engines/ffmpeg/types.ts';
import type { HttpClient } from '../engines/net/types.ts';
import type { PageReader } from '../engines/pages/yt-dlp.ts';
import type { WhisperEngine } from '../engines/whisper/engine.ts';
import type { Database } from '../stores/database.ts';
import type { Analyser } from './findings/analyze.ts';

/** The settings that the pipeline reads, at the moment it needs them. */
export type PipelineSettings = {
  maxDownloadBytes(): number;
  stallSeconds(): number;
  beamSize(): number;
  /** Whether no more of Whisper's window is encoded than there is sound. */
  fitWindow(): boolean;
  /** Whether yt-dlp may look for recordings in pages. */
  pages(): boolean;
  /** Credits per minute of audio. */
  creditRate(model: string): number;
};

export type PipelineModel = { readonly id: string; readonly path: string; readonly demonstration: boolean };

export type PipelineModels = {
  /** The model behind a name, downloaded first where that is allowed. Throws `model_not_installed`, `cancelled`. */
  prepare(
    name: string,
    options: {
      readonly signal: AbortSignal;
      /** From 0 to 1, while the model is downloaded. */
      readonly onDownload: (share: number) => void;
    },
  ): Promise<PipelineModel>;
  isEnglishOnly(name: string): boolean;
  canTranslate(name: string): boolean;
  /** Times real time of earlier transcriptions with this model. */
  speedOf(id: string): number | undefined;
  saveSpeed(id: string, speed: number): void;
};

/** The models of diarization that are in use; `id` is the embedding model's. */
export type SpeakerModels = DiarizationModels & { readonly id: string };

export type PipelineFiles = {
  /** A readable local path of a stored file, with its name and size; undefined when it is gone. */
  locate(fileId: string): Promise<{ path: string; name: string; size: number } | undefined>;
};

/** Everything a job is worked on with. */
export type PipelineDeps = {
  readonly db: Omit<Database, 'close' | 'wasClean'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly paths: DataPaths;
  readonly media: MediaEngine;
  readonly http: HttpClient;
  readonly pages: PageReader;
  readonly engine: WhisperEngine;
  readonly settings: PipelineSettings;
  readonly models: PipelineModels;
  readonly files: PipelineFiles;
  readonly analyse: Analyser;
  /** Whether a language model is set up that writes summaries, in any language. */
  readonly hasSummarizer: () => boolean;
  readonly diarize: Diarizer;
  /** Throws `model_not_installed`. */
  readonly speakerModels: () => SpeakerModels;
};
