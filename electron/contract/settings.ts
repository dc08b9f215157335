import { z } from 'zod';
import { JsonValue } from './common.ts';

type Setting<T extends z.ZodType> = { schema: T; default: z.output<T>; help: string; restart: boolean };

const setting = <T extends z.ZodType>(
  schema: T,
  fallback: z.output<T>,
  help: string,
  restart = false,
): Setting<T> => ({
  schema,
  default: fallback,
  help,
  restart,
});

const modelId = z.string().min(1).max(200);
const speakerModel = (part: 'segmentation' | 'embedding') =>
  modelId.regex(new RegExp(`^${part}-`), `needs the id of a model that begins with ${part}-`);
/** `id bytes sha256`, as in `base 147951465 60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe`. */
const modelLine = z
  .string()
  .max(400)
  .regex(
    /^(?!(?:nano|mini|pro|base-q8_0|silero-v6\.2\.0)\s)\w[\w.-]{0,99}\s+[1-9]\d{0,14}\s+[0-9a-fA-F]{64}$/,
    'needs an id, the size in bytes and the SHA-256 on each line, separated by spaces',
  );
const limit = z.int().min(0).max(1e9);
const GIB = 1024 ** 3;
/** The default of `network.stallSeconds`, also for requests that name no stall timeout of their own. */
export const DEFAULT_NETWORK_STALL_SECONDS = 30;
const bytes = z
  .int()
  .min(0)
  .max(2 ** 50);

/** Every setting of an installation, with its schema, default and help. The API, command line and window read this table. */
export const SETTINGS = {
  'network.allowPrivateAddresses': setting(
    z.boolean(),
    false,
    'Allow private and loopback addresses in audio_url and webhook_url.',
  ),
  'network.allowedOrigins': setting(
    z.array(z.string()).max(100),
    [],
    'Web origins that may call /v1 from a browser.',
  ),
  'network.allowedHosts': setting(
    z.array(z.string()).max(100),
    [],
    'Additional Host names that the server answers to.',
  ),
  'network.keylessPrograms': setting(
    z.boolean(),
    false,
    'Let programs on this computer transcribe without a key (`/inference`, `/asr`, `/detect-language`, `/v1/audio`). Each of them, also those of other people who use it, can then do so as the owner; web pages cannot.',
  ),
  'network.offline': setting(z.boolean(), false, 'Make no outbound connections.'),
  'updates.feed': setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    '',
    'Where a check for a newer version asks; empty for nowhere. Nothing is checked or downloaded by itself.',
  ),
  'network.pages': setting(
    z.boolean(),
    false,
    'Use yt-dlp, if installed, to find the recording in a web page that audio_url names.',
  ),
  'network.maxDownloadBytes': setting(
    bytes,
    4 * GIB,
    'Largest download for a transcription, in bytes; 0 allows none.',
  ),
  'network.stallSeconds': setting(
    z.int().min(1).max(3600),
    DEFAULT_NETWORK_STALL_SECONDS,
    'Seconds without progress after which a download fails.',
  ),
  'models.aliases.nano': setting(modelId, 'tiny.en-q8_0', 'The model behind `nano`.'),
  'models.aliases.mini': setting(modelId, 'base-q8_0', 'The model behind `mini`.'),
  'models.aliases.pro': setting(modelId, 'large-v3-turbo-q8_0', 'The model behind `pro`.'),
  'models.baseUrl': setting(
    z.url({ protocol: /^https?$/ }),
    'https://huggingface.co/ggerganov/whisper.cpp/resolve/main',
    'Where models are downloaded from.',
  ),
  'models.catalogue': setting(
    z.array(z.string().trim().pipe(modelLine)).max(100),
    [],
    'Additional models of your mirror, one per line: id, bytes and SHA-256. The file is ggml-<id>.bin.',
  ),
  'speakers.segmentation': setting(
    speakerModel('segmentation'),
    'segmentation-pyannote-3.0-small',
    'The model that finds speaker turns.',
  ),
  'speakers.embedding': setting(
    speakerModel('embedding'),
    'embedding-campplus-zh-en-small',
    'The model that compares voices. Remembered voices are compared with recordings of the same model only.',
  ),
  'models.autoInstall': setting(
    z.boolean(),
    false,
    'Download a missing model when a transcription requests it.',
  ),
  'engine.threads': setting(
    z.int().min(0).max(256),
    0,
    'Threads per chunk, at most the cores of this machine; 0 chooses.',
    true,
  ),
  'engine.parallel': setting(
    z.int().min(0).max(64),
    0,
    'Chunks recognized in parallel; 0 chooses for this machine.',
    true,
  ),
  // At most whisper.cpp's WHISPER_MAX_DECODERS.
  'engine.beamSize': setting(z.int().min(1).max(8), 5, 'Beams of the decoder; 1 is greedy and fastest.'),
  'engine.device': setting(
    z.enum(['auto', 'cpu', 'vulkan']),
    'auto',
    'Where models run. `auto`: on a graphics processor that recognizes the same as the processor and is faster, tried for each model; on the processor otherwise. `vulkan`: on a graphics processor wherever it works.',
  ),
  'queue.concurrency': setting(z.int().min(1).max(16), 1, 'Transcriptions that run in parallel.'),
  'limits.uploadsPer15Minutes': setting(limit, 20, 'Uploads per 15 minutes and address; 0 is unlimited.'),
  'limits.deletionsPer15Minutes': setting(
    limit,
    100,
    'File deletions per 15 minutes and user; 0 is unlimited.',
  ),
  'limits.liveSessions': setting(z.int().min(1).max(64), 4, 'Live sessions at once.'),
  'limits.requestsPerMinute': setting(limit, 600, 'Other requests per minute and key; 0 is unlimited.'),
  'credits.perMinute.nano': setting(z.number().min(0).max(1e6), 0.5, 'Credits per minute of audio.'),
  'credits.perMinute.mini': setting(z.number().min(0).max(1e6), 1, 'Credits per minute of audio.'),
  'credits.perMinute.pro': setting(z.number().min(0).max(1e6), 2, 'Credits per minute of audio.'),
  'storage.limitBytes': setting(
    bytes,
    10 * GIB,
    'Storage per user in bytes, unless the user has a limit of their own.',
  ),
  'storage.mirrors': setting(
    z.array(z.string().min(1)).max(8),
    [],
    'Additional folders that keep a copy of each file.',
    true,
  ),
  'storage.backups': setting(
    z.boolean(),
    true,
    'Copy the database once a day into the data folder, and keep two copies. Off removes them.',
  ),
  'storage.requireClamav': setting(z.boolean(), false, 'Reject uploads that ClamAV cannot scan.'),
  'llm.url': setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    '',
    'OpenAI-compatible address of a local language model for summaries; empty for none.',
  ),
  'llm.model': setting(z.string().max(200), '', 'The name of that language model.'),
} as const;

export type SettingKey = keyof typeof SETTINGS;
export type Settings = { readonly [K in SettingKey]: z.output<(typeof SETTINGS)[K]['schema']> };

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key);

export const SettingsList = z
  .object({
    success: z.literal(true),
    data: z.array(
      z.object({
        key: z.string(),
        value: JsonValue,
        default: JsonValue,
        source: z.enum(['default', 'stored', 'run']).describe('`run`: set for this run on the command line.'),
        restart: z.boolean().describe('A change takes effect after a restart.'),
        help: z.string(),
      }),
    ),
    needs_restart: z.array(z.string()).describe('Changed keys that take effect after a restart.'),
  })
  .meta({ id: 'Settings' });
export type SettingsList = z.output<typeof SettingsList>;

const patchable: Record<
  string,
  z.ZodOptional<z.ZodNullable<z.ZodType<JsonValue, JsonValue>>>
> = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, { schema, help }]) => [
    key,
    schema.nullable().optional().describe(help),
  ]),
);

/** `{key: value}`; null resets a key to its default. */
export const PatchSettings = z.strictObject(patchable).meta({ id: 'PatchSettings' });
export type PatchSettings = z.output<typeof PatchSettings>;
