import type { Tag } from './route.ts';

/** The introduction of the document, as Markdown. */
export const INTRODUCTION = [
  'Speech to text, and storage for its files, on your own machine. Start with [the guide](/docs/guide).',
  '**Keys.** Send `Authorization: Bearer <key>` with every request except health, signed addresses and public files. ' +
    'Create a key with `earshot keys create` or in the window under API.',
  '**Bodies.** JSON in UTF-8. An unknown field or query parameter is a 400, so that a typo is never ignored. ' +
    'Times are ISO 8601 in UTC with milliseconds; positions and durations are seconds.',
  '**Errors.** `{"success": false, "error": "A sentence.", "code": "transcript_not_found", "request_id": "…"}`, with ' +
    '`details` if single fields are at fault. Branch on `code`; each operation lists its own. ' +
    'The OpenAI-compatible operations answer errors in OpenAI’s shape.',
  '**Limits.** Answers carry `RateLimit-*`; a 429 has the seconds to wait in `Retry-After`. Each limit is a setting.',
  '**Examples.** The examples work if you replace their ids with yours.',
].join('\n\n');

/** Descriptions of the tags, in the order of the documentation. */
export const TAG_MEANING: Readonly<Record<Tag, string>> = {
  Transcripts: 'Create, read, search, correct, export and delete transcriptions; the queue and webhooks.',
  Live: 'Text while somebody speaks, over a WebSocket. `/asyncapi.json` describes its messages.',
  Storage: 'Files: upload, presigned addresses, download with ranges, metadata, CORS.',
  Account: 'Keys, users, usage and settings.',
  Models: 'The speech models of this machine.',
  System: 'Health, events, and logs of requests and connections.',
  OpenAI: 'The audio endpoints of OpenAI’s API. Its clients work with this server’s base URL and key.',
  AssemblyAI:
    'The pre-recorded part of AssemblyAI’s API. Its clients work with this server’s base URL and key.',
  'Whisper servers':
    'The forms of whisper.cpp’s server and of whisper-asr-webservice, for programs that know these. They need a key, unless ' +
    'the setting `network.keylessPrograms` lets programs on this computer connect without one.',
};
