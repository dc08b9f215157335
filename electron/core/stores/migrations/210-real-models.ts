import type { Migration } from './index.ts';

/**
 * The synthetic models of earlier versions no longer come along: settings that name them go back to their defaults, and jobs
 * that ask for one get the model behind `mini`. 8-bit copies are no longer made, since their publishers offer such files.
 */
export const realModels: Migration = {
  version: 210,
  sql: `
DROP TABLE model_copies;
DELETE FROM settings WHERE key GLOB 'models.aliases.*' AND value IN ('"starter"', '"starter-parakeet"');
DELETE FROM settings WHERE key GLOB 'speakers.*' AND value IN ('"segmentation-starter"', '"embedding-starter"');
UPDATE transcripts SET model = 'mini'
WHERE status = 'processing' AND model IN ('starter', 'starter-parakeet');
`,
};
