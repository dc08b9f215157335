import { z } from 'zod';
import { Bytes, QueryBoolean, queryInt, success, Timestamp } from './common.ts';

export const Health = z
  .object({
    status: z
      .enum(['ok', 'damaged', 'engine_stalled', 'shutting_down'])
      .describe(
        '`damaged`: a query found the database damaged; run `earshot doctor` to repair it. `engine_stalled`: the speech engine makes no progress; it is replaced and the audio tried again by itself.',
      ),
    version: z.string(),
    uptime: z.number().describe('Seconds.'),
  })
  .meta({ id: 'Health' });

const Acceleration = z
  .object({
    enabled: z.boolean().describe('Whether the setting `engine.device` allows a graphics processor.'),
    device: z
      .string()
      .nullable()
      .describe('The graphics processor that this build can use; null if none is known.'),
    state: z
      .enum(['off', 'built_in', 'not_built', 'unavailable', 'pending', 'forced', 'in_use', 'not_used'])
      .describe(
        '`off`: by the setting. `built_in`: `device` runs every model. `not_built`: this build has no part for graphics processors. `unavailable`: no device, see `detail`. `pending`: to be tried when no transcription runs. `forced`: by the setting. `in_use`: for the models whose trial was `faster`. `not_used`: for no model.',
      ),
    detail: z.string().nullable().describe('The driver of the device, or why there is none.'),
    trials: z.array(
      z.object({
        model: z.string(),
        outcome: z
          .enum(['pending', 'faster', 'slower', 'different', 'crashed', 'timeout', 'failed'])
          .describe('The device is used if it was `faster`. `different`: it recognized other words.'),
        cpu_seconds: z.number().nullable().describe('What the bundled sample took on the processor.'),
        device_seconds: z.number().nullable(),
        detail: z.string().nullable().describe('What was heard otherwise, or how it failed.'),
      }),
    ),
  })
  .describe('Where models run. Each is tried on the graphics processor, in a process of its own.');
export type Acceleration = z.output<typeof Acceleration>;

export const System = success(
  z.object({
    version: z.string(),
    node: z.string(),
    platform: z.string(),
    data_dir: z.string(),
    open_command: z.string().describe('Opens the window again, from a terminal in any folder.'),
    ffmpeg: z.object({ path: z.string(), version: z.string().nullable() }),
    engine: z.object({
      name: z.literal('whisper.cpp'),
      version: z.string(),
      available: z.boolean(),
      detail: z.string().nullable().describe('The reason if it is not available.'),
      system_info: z.string().nullable().describe('CPU features and backends in use.'),
      threads: z.int(),
      parallel: z.int(),
    }),
    acceleration: Acceleration,
    private_data_model: z
      .object({
        available: z.boolean(),
        detail: z.string().nullable().describe('The reason if it is not available.'),
      })
      .describe('The bundled model that finds private data beside the rules.'),
    scanner: z.enum(['clamav', 'builtin']),
    disk_free: Bytes,
    limits: z.record(z.string(), z.number()),
  }),
).meta({ id: 'System' });

const Backup = z
  .object({
    created_at: Timestamp,
    size: Bytes,
  })
  .describe(
    'A copy of the database: texts, settings, and what is known of files, but not the files themselves.',
  )
  .meta({ id: 'Backup' });
export const BackupList = success(z.array(Backup));
export const BackupCreated = success(Backup);

/** The parts of the data folder whose sizes are told; `other` is what Earshot did not put there, or a browser's profile. */
export const DISK_PARTS = [
  'database',
  'files',
  'transcripts',
  'models',
  'backups',
  'logs',
  'temporary',
  'reserve',
  'other',
] as const;

export const DiskUsage = success(
  z.object({
    data_dir: z.string(),
    total: Bytes,
    free: Bytes.describe('Free space on the disk of the data folder.'),
    parts: z
      .array(z.object({ part: z.enum(DISK_PARTS), bytes: Bytes }))
      .describe('Largest first. `reserve` is given up when the disk is full.'),
  }),
).meta({ id: 'DiskUsage' });
export type DiskUsage = z.output<typeof DiskUsage>;

export const EventHeaders = z.object({
  'last-event-id': z.string().optional().describe('The `id` of the last event that was received.'),
});

export const Model = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z
      .enum(['whisper', 'parakeet', 'speakers', 'detector'])
      .describe('Two families of recognizers, models that tell speakers apart, and the speech detector.'),
    part: z
      .enum(['segmentation', 'embedding'])
      .nullable()
      .describe('The part of diarization: segmentation finds turns, embedding compares voices.'),
    size: Bytes,
    languages: z.union([z.literal('multilingual'), z.array(z.string())]),
    sha256: z.string().nullable(),
    sha1: z.string().nullable().describe('If the publisher provides SHA-1 only.'),
    installed: z.boolean(),
    in_use: z.boolean().describe('Installed, and answers a request that names no model.'),
    bundled: z.boolean().describe('Comes with the program.'),
    description: z.string(),
    aliases: z.array(z.string()),
    speed: z.number().nullable().describe('Times real time, measured on this machine.'),
    download: z
      .object({
        state: z.enum(['downloading', 'paused', 'failed']),
        received: Bytes,
        total: Bytes,
        error: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Model' });
export type Model = z.output<typeof Model>;

/** A model with the fields of OpenAI's API. */
export const OpenAiModel = Model.extend({
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
}).meta({ id: 'OpenAiModel' });

export const ModelList = z.object({
  object: z.literal('list').describe('For OpenAI’s clients; `data` also has their fields.'),
  success: z.literal(true),
  data: z.array(OpenAiModel),
});

export const ModelListQuery = z.strictObject({
  catalog: QueryBoolean.default(false).describe(
    'All models that come along or can be installed, those of speakers and speech included.',
  ),
});

export const ModelAnswer = success(Model);
export const ModelRemoved = z.object({ success: z.literal(true), message: z.string() });

export const ImportModel = z
  .strictObject({
    path: z.string().min(1).max(4096).describe('An absolute path on Earshot’s machine.'),
    id: z.string().min(1).max(100).optional().describe('Default: derived from the file name.'),
  })
  .meta({ id: 'ImportModel' });

export const UploadModelQuery = z.strictObject({
  name: z.string().min(1).max(255).describe('The name of the file.'),
  id: z.string().min(1).max(100).optional().describe('Default: derived from the name.'),
});

export const ModelBenchmark = success(
  z.object({
    id: z.string(),
    seconds: z.number().describe('Seconds of audio.'),
    elapsed: z.number().describe('Seconds it took, without loading the model.'),
    speed: z.number().describe('Times real time.'),
  }),
).meta({ id: 'ModelBenchmark' });

export const RequestLog = success(
  z.array(
    z.object({
      time: Timestamp,
      method: z.string(),
      route: z.string(),
      status: z.int(),
      milliseconds: z.number(),
      key_prefix: z.string().nullable(),
    }),
  ),
);

/** Why the local language model is of no use now. */
const LANGUAGE_MODEL_PROBLEMS = [
  'not_set',
  'offline',
  'unreachable',
  'timeout',
  'status',
  'answer',
  'unknown_model',
] as const;

export const LanguageModelTrial = success(
  z.object({
    models: z.array(z.string()).describe('The models that the server offers; empty if it does not say.'),
    model: z.string().describe('The setting `llm.model`; empty if no model is chosen yet.'),
    seconds: z.number().nullable().describe('How long the model took to answer; null if it did not.'),
    problem: z
      .object({ code: z.enum(LANGUAGE_MODEL_PROBLEMS), message: z.string() })
      .nullable()
      .describe('Why the server or the model cannot be used.'),
  }),
).meta({ id: 'LanguageModelTrial' });
export type LanguageModelTrial = z.output<typeof LanguageModelTrial>;

export const UpdateCheck = success(
  z.object({
    version: z.string().describe('The running version.'),
    latest: z.string().nullable().describe('The latest version by the feed; null if it is not known.'),
    is_newer: z.boolean().describe('Whether `latest` is newer than `version`.'),
    url: z.string().nullable().describe('The page of the latest version. Nothing is downloaded.'),
    problem: z
      .object({ code: z.enum(['not_set', 'offline', 'unreachable', 'answer']), message: z.string() })
      .nullable()
      .describe('Why the latest version is not known.'),
  }),
).meta({ id: 'UpdateCheck' });
export type UpdateCheck = z.output<typeof UpdateCheck>;

export const NetworkQuery = z.strictObject({ limit: queryInt(1, 10_000, 500) });

/** What an outbound connection is for. */
export const ConnectionPurpose = z.enum(['audio', 'model', 'webhook', 'llm', 'page', 'update']);
export type ConnectionPurpose = z.output<typeof ConnectionPurpose>;

export const NetworkLog = success(
  z.array(
    z.object({
      time: Timestamp,
      host: z.string(),
      address: z.string().nullable(),
      purpose: ConnectionPurpose,
      bytes: Bytes,
      error: z.string().nullable(),
    }),
  ),
);
