import type { StoredFile } from '../../../contract/storage.ts';
import { isoTime } from '../../base/clock.ts';
import { formatBytes } from '../../base/numbers.ts';
import type { FileRow } from '../../stores/schema.ts';

/** Each part of a key encoded, the slashes kept; without the first slash. */
const encodeKey = (key: string): string => key.slice(1).split('/').map(encodeURIComponent).join('/');

export const downloadUrl = (baseUrl: string, key: string): string =>
  `${baseUrl}/v1/storage/download/${encodeKey(key)}`;

export const directUrl = (baseUrl: string, key: string): string => `${baseUrl}/cdn/${encodeKey(key)}`;

/** The MD5 in quotes. */
export const etagOf = (file: FileRow): string => `"${file.md5}"`;

export const presentFile = (file: FileRow, baseUrl: string): StoredFile => ({
  id: file.id,
  key: file.key,
  original_name: file.original_name,
  size: file.size,
  mime_type: file.mime_type,
  public: file.public === 1,
  folder: file.folder,
  uploaded_at: isoTime(file.uploaded_at),
  // Checked when it was stored.
  metadata: JSON.parse(file.metadata) as StoredFile['metadata'],
  urls: {
    download: downloadUrl(baseUrl, file.key),
    direct: file.public === 1 ? directUrl(baseUrl, file.key) : null,
  },
  checksums: { md5: file.md5, sha256: file.sha256 },
});

/** The File information of section 2.9 of the interface. */
export const presentInformation = (file: FileRow, baseUrl: string) => ({
  fileKey: file.key,
  originalName: file.original_name,
  size: file.size,
  sizeFormatted: formatBytes(file.size),
  contentType: file.mime_type,
  uploadedAt: isoTime(file.uploaded_at),
  lastModified: isoTime(file.modified_at),
  etag: etagOf(file),
  publicUrl: file.public === 1 ? directUrl(baseUrl, file.key) : '',
  downloadUrl: downloadUrl(baseUrl, file.key),
});
