import type { Migration } from './index.ts';

/** What a request in another service's form asks has one shape for every form: only that form's routes know the fields. */
export const foreignRequests: Migration = {
  version: 250,
  sql: `
UPDATE transcripts SET options = json_remove(json_set(options, '$.foreign', json_patch('{}', json_object(
  'webhook', json_extract(options, '$.assemblyai.webhook'),
  'settings', json_remove(json_extract(options, '$.assemblyai'), '$.webhook', '$.speech_understanding'),
  'texts', json_patch('{}', json_object('speech_understanding', json_extract(options, '$.assemblyai.speech_understanding')))
))), '$.assemblyai')
WHERE CASE WHEN json_valid(options) THEN json_type(options, '$.assemblyai') = 'object' END;
`,
};
