import type { Migration } from './index.ts';

/**
 * Moves the login of `audio_url` (`https://user:password@host/`) into a column of its own, which no answer shows. When
 * the job ends it becomes empty, which tells "there was one" from null. The mark for `stores/scrub.ts` makes the
 * login also leave the write-ahead log.
 */
export const logins: Migration = {
  version: 110,
  sql: `
ALTER TABLE transcripts ADD COLUMN audio_login TEXT;

WITH parts AS (
  SELECT id, audio_url AS url, instr(audio_url, '://') + 3 AS start FROM transcripts
  WHERE audio_url LIKE 'http://%@%' OR audio_url LIKE 'https://%@%'
), rests AS (
  SELECT id, url, start, substr(url, start) AS rest FROM parts
), authorities AS (
  SELECT id, url, start, rest,
    substr(rest, 1, min(instr(rest || '/', '/'), instr(rest || '?', '?'), instr(rest || '#', '#')) - 1) AS authority
  FROM rests
), logins AS (
  SELECT id, url, start, rest, rtrim(authority, replace(authority, '@', '')) AS login
  FROM authorities WHERE instr(authority, '@') > 0
)
UPDATE transcripts SET
  audio_login = CASE transcripts.status WHEN 'processing' THEN substr(login, 1, length(login) - 1) ELSE '' END,
  audio_url = substr(url, 1, start - 1) || substr(rest, length(login) + 1)
FROM logins WHERE logins.id = transcripts.id;

INSERT INTO meta (key, value) SELECT 'scrub', 'log' FROM transcripts WHERE audio_login IS NOT NULL LIMIT 1
ON CONFLICT (key) DO NOTHING;

CREATE TRIGGER audio_login_end AFTER UPDATE OF status ON transcripts
WHEN new.status <> 'processing' AND new.audio_login <> ''
BEGIN
  UPDATE transcripts SET audio_login = '' WHERE id = new.id;
  INSERT INTO meta (key, value) VALUES ('scrub', 'log') ON CONFLICT (key) DO NOTHING;
END;
`,
};
