import type { Migration } from './index.ts';

/**
 * The field's words for columns, and a checkpoint that names its kind. `speaker_names` was written but never read.
 * A checkpoint of before is a recognition with `piece` for `chunk`, or `{again: {options, …}}` with the options as
 * JSON in a string.
 */
export const records: Migration = {
  version: 100,
  sql: `
ALTER TABLE segments RENAME COLUMN piece TO chunk;
ALTER TABLE transcripts RENAME COLUMN unclean_ends TO app_crashes;
ALTER TABLE transcripts DROP COLUMN speaker_names;

UPDATE transcripts SET checkpoint = CASE
  WHEN NOT json_valid(checkpoint) THEN NULL
  WHEN json_type(checkpoint, '$.again.options') = 'text' THEN json_object(
    'kind', 'reanalysis',
    'options', json(json_extract(checkpoint, '$.again.options')),
    'completedAt', json_extract(checkpoint, '$.again.completedAt'),
    'diarize', json(CASE json_extract(checkpoint, '$.again.diarize') WHEN 1 THEN 'true' ELSE 'false' END)
  )
  WHEN json_type(checkpoint, '$.piece') IS NOT NULL THEN json_remove(
    json_set(checkpoint, '$.kind', 'recognition', '$.chunk', json_extract(checkpoint, '$.piece')), '$.piece'
  )
END
WHERE checkpoint IS NOT NULL;
`,
};
