import { z } from 'zod';
import {
  Bytes,
  idSchema,
  Metadata,
  namesAChange,
  Pagination,
  QueryBoolean,
  queryInt,
  success,
  Timestamp,
  TranscriptId,
} from './common.ts';

export const FileId = idSchema('file', 'File identifier.');
const MAX_FILE = 1024 ** 3;

export const StoredFile = z
  .object({
    id: FileId,
    key: z.string().describe('`/{user_id}/{folder}/{name}_{timestamp}.{ext}`'),
    original_name: z.string(),
    size: Bytes,
    mime_type: z.string(),
    public: z.boolean(),
    folder: z.string(),
    uploaded_at: Timestamp,
    metadata: Metadata,
    urls: z.object({ download: z.string(), direct: z.string().nullable() }),
    checksums: z.object({ md5: z.string(), sha256: z.string() }),
  })
  .meta({ id: 'StoredFile' });
export type StoredFile = z.output<typeof StoredFile>;

export const UploadResult = success(
  z.object({
    file: StoredFile,
    upload_info: z.object({
      processing_time: z.number().describe('Seconds.'),
      storage_region: z.string().describe('`local`, followed by the mirrors.'),
      compression_applied: z.boolean(),
      scan: z.object({ engine: z.enum(['clamav', 'builtin']), clean: z.literal(true) }),
    }),
  }),
).meta({ id: 'UploadResult' });
export type UploadResult = z.output<typeof UploadResult>;

export const UploadPurpose = z.enum(['storage', 'transcription']);
export type UploadPurpose = z.output<typeof UploadPurpose>;
const purpose = UploadPurpose.default('storage').describe(
  '`transcription`: audio or video under whatever name; the content decides its type. `storage`: the content must match the name.',
);

export const PresignRequest = z
  .strictObject({
    filename: z.string().min(1).max(1024),
    contentType: z.string().min(3).max(255),
    fileSize: z.int().min(1).max(MAX_FILE).optional(),
    folder: z.string().max(1024).optional(),
    public: z.boolean().default(false),
    metadata: Metadata.optional(),
    purpose,
  })
  .meta({ id: 'PresignRequest' });
export const PresignResult = success(
  z.object({
    uploadUrl: z.string(),
    fileKey: z.string(),
    expiresIn: z.int(),
    maxFileSize: Bytes,
    allowedContentTypes: z.array(z.string()),
  }),
);

export const FileInformation = success(
  z.object({
    fileKey: z.string(),
    originalName: z.string(),
    size: Bytes,
    sizeFormatted: z.string(),
    contentType: z.string(),
    uploadedAt: Timestamp,
    lastModified: Timestamp,
    etag: z.string(),
    publicUrl: z.string().describe('Empty for a private file.'),
    downloadUrl: z.string(),
  }),
).meta({ id: 'FileInformation' });

const LinkEffect = z
  .enum(['nothing', 'audio_lost', 'job_fails', 'retry_lost'])
  .describe(
    'What becomes of the transcription when the file is deleted: `nothing`; `audio_lost`: it can no longer be played; `job_fails`: its job may not have read the file yet; `retry_lost`: it failed and can no longer be retried.',
  );
/** What becomes of a transcript when the file that it was made from is deleted. */
export type LinkEffect = z.output<typeof LinkEffect>;

export const FileLinks = success(
  z.object({
    fileKey: z.string(),
    total: z.int().min(0),
    effects: z
      .object({
        nothing: z.int(),
        audio_lost: z.int(),
        job_fails: z.int(),
        retry_lost: z.int(),
      } satisfies Record<LinkEffect, z.ZodInt>)
      .describe('The number of transcriptions by `if_deleted`.'),
    redacted: z
      .int()
      .min(0)
      .describe('The number of redacted transcriptions: the file still holds what was redacted from them.'),
    transcriptions: z
      .array(
        z.object({
          id: TranscriptId,
          name: z.string(),
          status: z.enum(['processing', 'completed', 'failed']),
          redacted: z.boolean().describe('Private data was redacted from it, or is going to be.'),
          if_deleted: LinkEffect,
        }),
      )
      .describe('At most 100, newest first.'),
  }),
).meta({ id: 'FileLinks' });
export type FileLinks = z.output<typeof FileLinks>;

export const FileDeleted = success(z.object({ fileKey: z.string(), deletedAt: Timestamp })).extend({
  message: z.string(),
});

export const StorageUsage = success(
  z.object({
    totalStorageUsed: Bytes,
    totalStorageUsedFormatted: z.string(),
    fileCount: z.int(),
    storageLimit: Bytes,
    storageLimitFormatted: z.string(),
    availableStorage: Bytes,
    availableStorageFormatted: z.string(),
    usagePercentage: z.number(),
  }),
).meta({ id: 'StorageUsage' });

const ORIGIN = /^(\*|https?:\/\/(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?|https?:\/\/\[[0-9a-fA-F:]+\](:\d{1,5})?)$/;
const TOKEN = /^(\*|[!#$%&'*+.^_`|~0-9A-Za-z-]+)$/;
export const CORS_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH'] as const;

export const CorsRequest = z
  .strictObject({
    allowedOrigins: z
      .array(
        z.string().regex(ORIGIN, { error: 'must be `*` or scheme://host[:port], e.g. https://example.com' }),
      )
      .min(1)
      .max(50),
    allowedMethods: z.array(z.enum(CORS_METHODS)).min(1).max(6).default(['GET', 'POST', 'PUT', 'DELETE']),
    allowedHeaders: z
      .array(z.string().max(200).regex(TOKEN, { error: 'must be `*` or the name of a header' }))
      .max(100)
      .default(['*']),
    maxAgeSeconds: z.int().min(0).max(86_400).default(3600),
  })
  .meta({ id: 'CorsRequest' });
export type CorsRequest = z.output<typeof CorsRequest>;

const corsFields = {
  allowedOrigins: z.array(z.string()),
  allowedMethods: z.array(z.string()),
  allowedHeaders: z.array(z.string()),
  maxAgeSeconds: z.number(),
};
export const CorsUpdated = success(z.object({ ...corsFields, updatedAt: Timestamp })).extend({
  message: z.string(),
});
export const CorsConfig = success(z.object({ ...corsFields, lastUpdated: Timestamp.nullable() }));

/** `metadata[key]=value`; repeated parameters must all match. */
const METADATA_PARAMETER = /^metadata\[(.+)\]$/;

const metadataPairs = (query: Readonly<Record<string, unknown>>): [key: string, value: string][] =>
  Object.entries(query).flatMap(([name, value]) => {
    const key = METADATA_PARAMETER.exec(name)?.[1];
    if (key === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one): [string, string] => [key, String(one)]);
  });

const listFields = {
  folder: z.string().max(1024).optional(),
  prefix: z.string().max(2048).optional().describe('Prefix of the key; the user part may be omitted.'),
  q: z.string().max(500).optional(),
  page: queryInt(1, 1e9, 1),
  limit: queryInt(1, 100, 20),
  sort: z.enum(['uploaded_at', 'name', 'size']).default('uploaded_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const MetadataQuery = z
  .record(z.string(), z.string())
  .describe('`metadata[key]=value`: at most 20; all must match.');

export const FileListQuery = z
  .object(listFields)
  .catchall(z.unknown())
  .superRefine((query, context) => {
    const unknown = Object.keys(query).filter(
      (name) => !Object.hasOwn(listFields, name) && !METADATA_PARAMETER.test(name),
    );
    if (unknown.length > 0) {
      context.addIssue({ code: 'unrecognized_keys', keys: unknown, input: query });
    }
    if (metadataPairs(query).length > 20) {
      context.addIssue({
        code: 'custom',
        path: ['metadata'],
        message: 'at most 20 values at once',
        input: query,
      });
    }
  })
  .transform((query) => ({ ...query, metadata: metadataPairs(query) }));
export const FileList = success(
  z.object({ files: z.array(StoredFile), folders: z.array(z.string()), pagination: Pagination }),
).meta({ id: 'FileList' });

export const PatchFile = z
  .strictObject({ public: z.boolean().optional(), metadata: Metadata.optional() })
  .refine(...namesAChange);
export const OneFile = success(z.object({ file: StoredFile }));

export const DownloadUrlQuery = z.strictObject({ expires: queryInt(1, 604_800, 600) });
export const DownloadUrl = success(z.object({ url: z.string(), expires_at: Timestamp }));
export const DownloadQuery = z.strictObject({
  inline: QueryBoolean.optional().describe(
    'Display in the browser instead of saving; not for HTML, SVG, XML and PDF.',
  ),
});

export const FileKeyParams = z.strictObject({
  fileKey: z
    .string()
    .min(1)
    .max(8192)
    .describe('The key, with or without its leading slash, encoded or not.'),
});
export const TokenParams = z.strictObject({ token: z.string().min(1).max(8192) });

/** The fields of an upload's form, without the file. */
export const UploadForm = z.strictObject({
  folder: z.string().max(1024).optional(),
  public: QueryBoolean.default(false),
  metadata: z.string().optional().describe('A JSON object, at most 16 KB.'),
  purpose,
});

const Totals = z.object({ files: z.int(), bytes: Bytes });
const Throttle = z
  .boolean()
  .default(true)
  .describe('Rests for as long as the work takes, so that other requests hardly notice it.');

export const VerifyFiles = z
  .strictObject({
    after: FileId.optional().describe('`next` of the answer before.'),
    adopt_mirrors: z.boolean().default(false).describe('Use mirrors that were replaced by new disks.'),
    remove_unknown: z.boolean().default(false).describe('Remove objects that no file knows.'),
    throttle: Throttle,
  })
  .meta({ id: 'VerifyFiles' });
export const VerifiedFiles = success(
  z.object({
    ...Totals.shape,
    total: Totals,
    problems: z.array(
      z.object({
        key: z.string(),
        folder: z.string().describe('`local` or a mirror.'),
        state: z
          .enum(['mended', 'lost', 'away'])
          .describe('`lost`: no intact copy is left; `away`: the disk cannot be reached.'),
      }),
    ),
    folders: z.array(z.string()),
    unknown: z.int().nullable().describe('Objects that no file knows; counted with the last files.'),
    next: FileId.nullable().describe('Null after the last files.'),
  }),
).meta({ id: 'VerifiedFiles' });
export type VerifiedFiles = z.output<typeof VerifiedFiles>;

/** Milliseconds since the epoch that an answer can show: up to the year 9999. */
const Time = z
  .int()
  .min(0)
  .max(Date.UTC(10_000, 0) - 1)
  .describe('Milliseconds since the epoch.');

/** What an export keeps of a file beside its bytes. */
export const ExportedFile = z
  .strictObject({
    user: z.strictObject({ id: z.string(), name: z.string() }),
    id: FileId,
    key: z.string().max(8192),
    folder: z.string().max(1024),
    original_name: z.string(),
    size: Bytes,
    mime_type: z.string(),
    public: z.boolean(),
    metadata: Metadata,
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
    uploaded_at: Time,
    modified_at: Time,
  })
  .meta({ id: 'ExportedFile' });
export type ExportedFile = z.output<typeof ExportedFile>;

export const ExportQuery = z.strictObject({
  after: FileId.optional().describe('`next` of the answer before.'),
  limit: queryInt(1, 1000, 200),
});
export const ExportList = success(
  z.object({ files: z.array(ExportedFile), total: Totals, next: FileId.nullable() }),
).meta({ id: 'ExportList' });

export const ImportFile = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(4096)
      .refine((path) => !path.includes('\0'), 'must not contain NUL')
      .describe('An absolute path on Earshot’s machine.'),
    file: ExportedFile,
    user: z.string().optional().describe('The name of the file’s new user; default: the user of `file`.'),
    throttle: Throttle,
  })
  .meta({ id: 'ImportFile' });
export type ImportFile = z.output<typeof ImportFile>;
export const ImportedFile = success(
  z.object({ state: z.enum(['imported', 'known']).describe('`known`: it is stored already.') }),
);
