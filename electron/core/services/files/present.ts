import type { FileLinks, StoredFile } from '../../../contract/storage.ts';
import { isoTime } from '../../base/clock.ts';
import { formatBytes } from '../../base/numbers.ts';
import type { FileLink, LinkCount } from '../../stores/file-links.ts';
import type { FileRecord } from '../../stores/files.ts';

/** Percent-encodes the parts of a key; keeps its slashes but the first. */
const encodeKey = (key: string): string => key.slice(1).split('/').map(encodeURIComponent).join('/');

export const downloadUrl = (baseUrl: string, key: string): string =>
  `${baseUrl}/v1/storage/download/${encodeKey(key)}`;

export const directUrl = (baseUrl: string, key: string): string => `${baseUrl}/cdn/${encodeKey(key)}`;

/** The entity tag of a file: its MD5 in quotes. */
export const etagOf = (file: FileRecord): string => `"${file.md5}"`;

export const presentFile = (file: FileRecord, baseUrl: string): StoredFile => ({
  id: file.id,
  key: file.key,
  original_name: file.originalName,
  size: file.size,
  mime_type: file.mimeType,
  public: file.isPublic,
  folder: file.folder,
  uploaded_at: isoTime(file.uploadedAt),
  metadata: file.metadata,
  urls: {
    download: downloadUrl(baseUrl, file.key),
    direct: file.isPublic ? directUrl(baseUrl, file.key) : null,
  },
  checksums: { md5: file.md5, sha256: file.sha256 },
});

/** The answer of `GET /v1/storage/file/{fileKey}`. */
export const presentInformation = (file: FileRecord, baseUrl: string) => ({
  fileKey: file.key,
  originalName: file.originalName,
  size: file.size,
  sizeFormatted: formatBytes(file.size),
  contentType: file.mimeType,
  uploadedAt: isoTime(file.uploadedAt),
  lastModified: isoTime(file.modifiedAt),
  etag: etagOf(file),
  publicUrl: file.isPublic ? directUrl(baseUrl, file.key) : '',
  downloadUrl: downloadUrl(baseUrl, file.key),
});

/** The answer of `GET /v1/storage/links/{fileKey}`. */
export const presentLinks = (
  file: FileRecord,
  links: readonly FileLink[],
  counts: readonly LinkCount[],
): FileLinks['data'] => {
  const effects = { nothing: 0, audio_lost: 0, job_fails: 0, retry_lost: 0 };
  for (const { effect, count } of counts) effects[effect] += count;
  const sum = (kinds: readonly LinkCount[]) => kinds.reduce((total, { count }) => total + count, 0);
  return {
    fileKey: file.key,
    total: sum(counts),
    effects,
    redacted: sum(counts.filter(({ isRedacted }) => isRedacted)),
    transcriptions: links.map(({ id, name, status, isRedacted, effect }) => ({
      id,
      name,
      status,
      redacted: isRedacted,
      if_deleted: effect,
    })),
  };
};
