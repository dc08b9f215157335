import type { JobErrorCode } from '../../electron/contract/errors.ts';
import type { MessageKey } from '../i18n/index.ts';
import type { Route } from '../stores/router.ts';

/** The request for the running and waiting jobs, which the queue shows and announcements name. */
export const RUNNING_JOBS = ['listTranscripts', { query: { status: 'processing', limit: 100 } }] as const;

export type JobHelp = {
  /** What the user can do. */
  readonly text: MessageKey;
  /** Whether the same job can succeed later. */
  readonly canRetry: boolean;
  /** Where the cause is removed. */
  readonly place?: { readonly name: MessageKey; readonly route: Route };
};

const CONNECTIONS = {
  name: 'settings.connections',
  route: { screen: 'settings', param: 'connections' },
} as const;
const NETWORK = { name: 'settings.network', route: { screen: 'settings', param: 'network' } } as const;
const MODELS = { name: 'nav.models', route: { screen: 'models' } } as const;

const HELP: Readonly<Record<JobErrorCode, JobHelp>> = {
  download_failed: { text: 'job.help.link', canRetry: true },
  download_timeout: { text: 'job.help.link', canRetry: true },
  download_too_large: { text: 'job.help.tooLarge', canRetry: true, place: NETWORK },
  address_not_allowed: { text: 'job.help.address', canRetry: true, place: NETWORK },
  offline: { text: 'job.help.offline', canRetry: true, place: CONNECTIONS },
  not_media: { text: 'job.help.notMedia', canRetry: false },
  no_audio_track: { text: 'job.help.notMedia', canRetry: false },
  decode_failed: { text: 'job.help.notMedia', canRetry: false },
  empty_range: { text: 'job.help.range', canRetry: false },
  too_many_channels: { text: 'job.help.channels', canRetry: false },
  file_not_found: { text: 'job.help.missing', canRetry: false },
  model_not_installed: { text: 'job.help.model', canRetry: true, place: MODELS },
  model_invalid: { text: 'job.help.modelInvalid', canRetry: true, place: MODELS },
  language_not_supported: { text: 'job.help.language', canRetry: false },
  language_uncertain: { text: 'job.help.language', canRetry: false },
  too_little_speech: { text: 'job.help.speech', canRetry: false },
  engine_crashed: { text: 'job.help.engine', canRetry: true },
  engine_unavailable: { text: 'job.help.engine', canRetry: true },
  budget_exceeded: { text: 'job.help.budget', canRetry: true },
  cancelled: { text: 'job.help.cancelled', canRetry: true },
  disk_full: { text: 'job.help.disk', canRetry: true },
  interrupted: { text: 'job.help.engine', canRetry: true },
  internal_error: { text: 'job.help.engine', canRetry: true },
};

const UNKNOWN: JobHelp = { text: 'job.help.engine', canRetry: true };

/** What helps after a failed transcription. A job that cannot succeed is not offered to be tried again. */
export const helpFor = (code: JobErrorCode | undefined): JobHelp =>
  code === undefined ? UNKNOWN : HELP[code];
