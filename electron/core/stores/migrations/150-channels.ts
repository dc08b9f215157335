import type { Migration } from './index.ts';

/**
 * The channel of each segment, if a recording's channels are recognized by themselves. A checkpoint has a place in each
 * audio stream; those of before have one stream.
 */
export const channels: Migration = {
  version: 150,
  sql: `
ALTER TABLE segments ADD COLUMN channel INTEGER;
ALTER TABLE transcripts ADD COLUMN channels INTEGER;

UPDATE transcripts SET checkpoint = CASE
  WHEN NOT json_valid(checkpoint) THEN NULL
  WHEN json_extract(checkpoint, '$.kind') = 'recognition' THEN json_set(
    json_remove(checkpoint, '$.chunk', '$.at', '$.crashes'),
    '$.streams',
    json_array(json_object(
      'chunk', json_extract(checkpoint, '$.chunk'),
      'at', json_extract(checkpoint, '$.at'),
      'crashes', json(coalesce(json_extract(checkpoint, '$.crashes'), '{}'))
    ))
  )
  ELSE checkpoint
END
WHERE checkpoint IS NOT NULL;
`,
};
