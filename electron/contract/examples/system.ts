import type { z } from 'zod';
import type { systemRoutes } from '../routes/system.ts';
import type { Model } from '../system.ts';
import { CREATED, type ExamplesOf, PLACEHOLDERS, TRANSCRIPT_ID } from './example.ts';

const SIZE = 81_768_585;

const model: z.input<typeof Model> = {
  id: PLACEHOLDERS.model,
  name: 'Whisper base',
  kind: 'whisper',
  part: null,
  size: SIZE,
  languages: 'multilingual',
  sha256: 'c577b9a86e7e048a0b7eada054f4dd79a56bbfa911fbdacf900ac5b567cbb7d9',
  sha1: null,
  installed: true,
  in_use: true,
  bundled: false,
  description: 'Good for clear speech on a small machine.',
  aliases: ['mini'],
  speed: 6.4,
  download: null,
};

const downloading: z.input<typeof Model> = {
  ...model,
  installed: false,
  in_use: false,
  speed: null,
  download: { state: 'downloading', received: 4_194_304, total: SIZE, error: null },
};

const params = { id: PLACEHOLDERS.model };

const openAiModel = { ...model, object: 'model' as const, created: 0, owned_by: 'earshot' };

const modelExamples = {
  listModels: {
    answers: {
      200: {
        object: 'list' as const,
        success: true as const,
        data: [openAiModel],
      },
    },
  },
  getModel: { params, answers: { 200: openAiModel } },
  installModel: {
    params,
    answers: {
      200: { success: true as const, data: model },
      202: { success: true as const, data: downloading },
    },
  },
  pauseModel: {
    params,
    answers: {
      200: {
        success: true as const,
        data: {
          ...downloading,
          download: { state: 'paused' as const, received: 4_194_304, total: SIZE, error: null },
        },
      },
    },
  },
  removeModel: { params, answers: { 200: { success: true as const, message: 'base is removed.' } } },
  importModel: {
    body: { path: PLACEHOLDERS.modelFile, id: 'my-base' },
    answers: {
      201: { success: true as const, data: { ...model, id: 'my-base', in_use: false, aliases: [] } },
    },
  },
  uploadModel: {
    query: { name: 'ggml-base.bin', id: 'my-copy' },
    answers: {
      201: { success: true as const, data: { ...model, id: 'my-copy', in_use: false, aliases: [] } },
    },
  },
  benchmarkModel: {
    params,
    answers: {
      200: {
        success: true as const,
        data: { id: PLACEHOLDERS.model, seconds: 15.398, elapsed: 2.406, speed: 6.4 },
      },
    },
  },
} satisfies Partial<ExamplesOf<typeof systemRoutes>>;

export const systemExamples: ExamplesOf<typeof systemRoutes> = {
  ...modelExamples,
  health: { answers: { 200: { status: 'ok', version: '0.1.0', uptime: 86.4 } } },
  system: {
    answers: {
      200: {
        success: true,
        data: {
          version: '0.1.0',
          node: '26.10.0',
          platform: 'linux x64',
          data_dir: '/home/maria/.local/share/earshot',
          open_command: 'earshot open',
          ffmpeg: { path: '/usr/bin/ffmpeg', version: '7.1' },
          engine: {
            name: 'whisper.cpp',
            version: '1.9.1',
            available: true,
            detail: null,
            system_info: 'CPU : AVX2 = 1 | FMA = 1',
            threads: 4,
            parallel: 2,
          },
          acceleration: {
            enabled: true,
            device: 'AMD Radeon 780M',
            state: 'in_use',
            detail: 'radv Mesa 25.2.1 (104865793)',
            trials: [
              { model: 'base-q8_0', outcome: 'slower', cpu_seconds: 1.1, device_seconds: 1.6, detail: null },
              {
                model: 'large-v3-turbo',
                outcome: 'faster',
                cpu_seconds: 61.4,
                device_seconds: 7.2,
                detail: null,
              },
            ],
          },
          private_data_model: { available: true, detail: null },
          scanner: 'builtin',
          disk_free: 214_748_364_800,
          limits: {
            uploads_per_15_minutes: 20,
            deletions_per_15_minutes: 100,
            requests_per_minute: 600,
            max_download_bytes: 4_294_967_296,
          },
        },
      },
    },
  },
  events: {
    texts: {
      'text/event-stream': `id: 1795196700123\nevent: transcript.deleted\ndata: {"id":"${TRANSCRIPT_ID}"}\n\n`,
    },
  },
  checkForUpdate: {
    answers: {
      200: {
        success: true,
        data: {
          version: '0.1.0',
          latest: '0.2.0',
          is_newer: true,
          url: 'https://example.com/earshot/0.2.0',
          problem: null,
        },
      },
    },
  },
  diskUsage: {
    answers: {
      200: {
        success: true,
        data: {
          data_dir: '/home/maria/.local/share/earshot',
          total: 158_334_976,
          free: 214_748_364_800,
          parts: [
            { part: 'models', bytes: 147_951_465 },
            { part: 'files', bytes: 8_286_295 },
            { part: 'database', bytes: 2_097_216 },
          ],
        },
      },
    },
  },
  listBackups: { answers: { 200: { success: true, data: [{ created_at: CREATED, size: 1_048_576 }] } } },
  createBackup: { answers: { 201: { success: true, data: { created_at: CREATED, size: 1_048_576 } } } },
  listRequests: {
    answers: {
      200: {
        success: true,
        data: [
          {
            time: CREATED,
            method: 'GET',
            route: '/v1/transcript/id/{id}',
            status: 200,
            milliseconds: 1.8,
            key_prefix: 'ek_7Qm2x',
          },
        ],
      },
    },
  },
  tryLanguageModel: {
    answers: {
      200: {
        success: true,
        data: { models: ['llama3.2:3b', 'qwen3:4b'], model: 'qwen3:4b', seconds: 1.4, problem: null },
      },
    },
  },
  listConnections: {
    query: { limit: 100 },
    answers: {
      200: {
        success: true,
        data: [
          {
            time: CREATED,
            host: 'example.com',
            address: '93.184.215.14',
            purpose: 'audio',
            bytes: 275_244,
            error: null,
          },
        ],
      },
    },
  },
};
