import type { z } from 'zod';
import type { OpenRecording } from '../recordings.ts';
import type { storageRoutes } from '../routes/storage.ts';
import type { ExportedFile, FileInformation, StoredFile } from '../storage.ts';
import { BASE_URL, CREATED, type ExamplesOf, FILE_KEY, PLACEHOLDERS, TRANSCRIPT_ID } from './example.ts';

const SIZE = 275_244;
const MD5 = '9e107d9d372bb6826bd81d3542a419d6';
const DOWNLOAD = `${BASE_URL}/v1/storage/download${FILE_KEY}`;

const file: z.input<typeof StoredFile> = {
  id: 'file_01JD3Z9A5C7E9G2J4K6M8N0P1Q',
  key: FILE_KEY,
  original_name: 'planning.wav',
  size: SIZE,
  mime_type: 'audio/wav',
  public: false,
  folder: 'meetings',
  uploaded_at: CREATED,
  metadata: { project: 'alpha' },
  urls: { download: DOWNLOAD, direct: null },
  checksums: { md5: MD5, sha256: 'd7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592' },
};

const information: z.input<typeof FileInformation> = {
  success: true,
  data: {
    fileKey: FILE_KEY,
    originalName: 'planning.wav',
    size: SIZE,
    sizeFormatted: '268.8 KB',
    contentType: 'audio/wav',
    uploadedAt: CREATED,
    lastModified: CREATED,
    etag: `"${MD5}"`,
    publicUrl: '',
    downloadUrl: DOWNLOAD,
  },
};

const CORS = {
  allowedOrigins: ['https://example.com'],
  allowedMethods: ['GET' as const, 'HEAD' as const],
  allowedHeaders: ['*'],
  maxAgeSeconds: 3600,
};

const exported: z.input<typeof ExportedFile> = {
  user: { id: PLACEHOLDERS.user, name: 'Maria' },
  id: file.id,
  key: FILE_KEY,
  folder: file.folder,
  original_name: file.original_name,
  size: SIZE,
  mime_type: file.mime_type,
  public: false,
  metadata: file.metadata,
  sha256: file.checksums.sha256,
  uploaded_at: Date.parse(CREATED),
  modified_at: Date.parse(CREATED),
};

const params = { fileKey: FILE_KEY };

const ofRecording = { id: PLACEHOLDERS.recording };
const openRecording = (offset: number): z.input<typeof OpenRecording> => ({
  success: true,
  data: {
    ...ofRecording,
    filename: 'planning.wav',
    startedAt: CREATED,
    offset,
    timeoutSeconds: 120,
  },
});

export const storageExamples: ExamplesOf<typeof storageRoutes> = {
  uploadFile: {
    form: { folder: 'meetings', public: 'false', metadata: '{"project":"alpha"}' },
    answers: {
      201: {
        success: true,
        data: {
          file,
          upload_info: {
            processing_time: 0.034,
            storage_region: 'local',
            compression_applied: false,
            scan: { engine: 'builtin', clean: true },
          },
        },
      },
    },
  },
  presignUpload: {
    body: { filename: 'planning.wav', contentType: 'audio/wav', fileSize: SIZE, folder: 'meetings' },
    answers: {
      200: {
        success: true,
        data: {
          uploadUrl: `${BASE_URL}/v1/storage/presigned/${PLACEHOLDERS.uploadToken}`,
          fileKey: FILE_KEY,
          expiresIn: 3600,
          maxFileSize: SIZE,
          allowedContentTypes: ['audio/wav'],
        },
      },
    },
  },
  putPresigned: {
    params: { token: PLACEHOLDERS.uploadToken },
    answers: { 200: information },
  },
  getPresigned: { params: { token: PLACEHOLDERS.readToken }, query: { inline: true } },
  startRecording: {
    body: { filename: 'planning.wav', contentType: 'audio/wav', folder: 'meetings' },
    answers: { 201: openRecording(0) },
  },
  getRecording: { params: ofRecording, answers: { 200: openRecording(SIZE) } },
  appendRecording: { params: ofRecording, query: { offset: 0 }, answers: { 200: openRecording(SIZE) } },
  finishRecording: {
    params: ofRecording,
    body: {},
    answers: { 200: { success: true, data: { file: { ...file, ...ofRecording } } } },
  },
  discardRecording: { params: ofRecording, answers: { 200: { success: true, data: ofRecording } } },
  getFile: { params, answers: { 200: information } },
  fileLinks: {
    params,
    answers: {
      200: {
        success: true,
        data: {
          fileKey: FILE_KEY,
          total: 2,
          effects: { nothing: 1, audio_lost: 1, job_fails: 0, retry_lost: 0 },
          redacted: 1,
          transcriptions: [
            {
              id: TRANSCRIPT_ID,
              name: 'planning.wav',
              status: 'completed',
              redacted: true,
              if_deleted: 'nothing',
            },
            {
              id: 'tr_01JD3Z9A5C7E9G2J4K6M8N0P1Q',
              name: 'planning.wav',
              status: 'completed',
              redacted: false,
              if_deleted: 'audio_lost',
            },
          ],
        },
      },
    },
  },
  patchFile: {
    params,
    body: { metadata: { project: 'alpha', reviewed: true } },
    answers: {
      200: {
        success: true,
        data: { file: { ...file, metadata: { project: 'alpha', reviewed: true } } },
      },
    },
  },
  deleteFile: {
    params,
    answers: {
      200: {
        success: true,
        message: 'The file is deleted.',
        data: { fileKey: FILE_KEY, deletedAt: '2026-11-20T18:00:00.000Z' },
      },
    },
  },
  listFiles: {
    query: { folder: 'meetings', 'metadata[project]': 'alpha', page: 1, limit: 20 },
    answers: {
      200: {
        success: true,
        data: {
          files: [file],
          folders: ['meetings'],
          pagination: { page: 1, limit: 20, total: 1, pages: 1, hasNext: false, hasPrev: false },
        },
      },
    },
  },
  storageInfo: {
    answers: {
      200: {
        success: true,
        data: {
          totalStorageUsed: SIZE,
          totalStorageUsedFormatted: '268.8 KB',
          fileCount: 1,
          storageLimit: 10_737_418_240,
          storageLimitFormatted: '10 GB',
          availableStorage: 10_737_142_996,
          availableStorageFormatted: '10 GB',
          usagePercentage: 0,
        },
      },
    },
  },
  configureCors: {
    body: CORS,
    answers: {
      200: {
        success: true,
        message: 'The CORS configuration is in force.',
        data: { ...CORS, updatedAt: CREATED },
      },
    },
  },
  corsConfig: { answers: { 200: { success: true, data: { ...CORS, lastUpdated: CREATED } } } },
  downloadFile: { params, headers: { Range: 'bytes=0-1023' } },
  downloadUrl: {
    params,
    query: { expires: 600 },
    answers: {
      200: {
        success: true,
        data: {
          url: `${BASE_URL}/v1/storage/presigned/${PLACEHOLDERS.readToken}`,
          expires_at: '2026-11-20T17:55:00.000Z',
        },
      },
    },
  },
  directFile: { params },
  verifyFiles: {
    body: {},
    answers: {
      200: {
        success: true,
        data: {
          files: 1,
          bytes: SIZE,
          total: { files: 1, bytes: SIZE },
          problems: [{ key: FILE_KEY, folder: 'mirror-1', state: 'mended' }],
          folders: ['local', 'mirror-1'],
          unknown: 0,
          next: null,
        },
      },
    },
  },
  listExports: {
    query: { limit: 200 },
    answers: {
      200: { success: true, data: { files: [exported], total: { files: 1, bytes: SIZE }, next: null } },
    },
  },
  exportFile: { params },
  importFile: {
    body: { path: PLACEHOLDERS.exportedFile, file: exported },
    answers: { 200: { success: true, data: { state: 'imported' } } },
  },
};
