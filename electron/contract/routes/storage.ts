import { route } from '../route.ts';
import * as s from '../storage.ts';

export const storageRoutes = {
  uploadFile: route({
    method: 'POST',
    path: '/v1/storage/upload',
    tag: 'Storage',
    summary: 'Upload a file',
    description: 'Multipart form: `file` (at most 1 GB), `folder`, `public`, `metadata` (a JSON object).',
    access: 'key',
    bodyType: 'multipart',
    responses: { 201: s.UploadResult },
    errors: [
      'file_too_large',
      'unsupported_media_type',
      'unsupported_file_type',
      'infected_file',
      'content_mismatch',
      'scanner_unavailable',
      'storage_limit_exceeded',
      'disk_full',
    ],
  }),
} as const;
