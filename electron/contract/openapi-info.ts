import type { Tag } from './route.ts';

/** What is said once for the whole API, as Markdown. */
export const INTRODUCTION = [
  'Speech to text, and storage for its files, on your own machine. Where to begin: [the guide](/docs/guide).',
  '**Keys.** Send `Authorization: Bearer <key>` with everything but health, signed addresses and public files. ' +
    '`earshot keys create` makes a key, and so does the window under API.',
  '**Bodies.** JSON in UTF-8. A field or a query parameter that an operation does not know is a 400, so that a ' +
    'slip of the pen is never ignored. Times are ISO 8601 in UTC with milliseconds; positions and durations are seconds.',
  '**Errors.** `{"success": false, "error": "A sentence.", "code": "transcript_not_found", "request_id": "…"}`, with ' +
    '`details` where single fields are at fault. Programs look at `code`; each operation lists its own. ' +
    'The operations in OpenAI’s form answer errors in OpenAI’s shape.',
  '**Limits.** Answers carry `RateLimit-*`; a 429 says in `Retry-After` when to go on. Each limit is a setting.',
  '**Examples.** The ids in the examples stand for yours: put an id of your own in their place, and they work.',
].join('\n\n');

/** What the tags mean, in the order in which the documentation shows them. */
export const TAG_MEANING: Readonly<Record<Tag, string>> = {
  Transcripts: 'Create, read, search, correct, export and delete transcriptions; the queue and webhooks.',
  Storage: 'Files: upload, presigned addresses, download with ranges, metadata, CORS.',
  Account: 'Keys, users, usage and settings.',
  Models: 'The speech models of this machine.',
  System: 'Health, events, and what the server has done.',
  OpenAI: 'The audio endpoints of OpenAI’s API: its clients need another base URL and nothing else.',
  AssemblyAI:
    'The pre-recorded part of AssemblyAI’s API: its clients need another base URL and nothing else.',
};
