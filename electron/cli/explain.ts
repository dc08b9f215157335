import type { Client } from '../contract/client.ts';
import { ApiError } from '../contract/http-client.ts';
import { messageOf } from '../core/base/errors.ts';
import { formatBytes } from '../core/base/numbers.ts';

/** Fields of the API as options of `earshot transcribe`. */
const OPTIONS: Readonly<Record<string, string>> = {
  audio_url: 'the recording',
  audio_start_from: '--from',
  audio_end_at: '--to',
  language: '--language',
  model: '--model',
  multichannel: '--multichannel',
  redact_names: '--no-redact-names',
  redact_pii: '--redact',
  redact_pii_sub: '--redact',
  redact_source: '--redact-source',
  diarize: '--speakers',
  speakers_expected: '--speakers',
  verify_with: '--verify-with',
  vocabulary: '--vocabulary',
  word_times: '--word-times',
};

/** What the service says, with the commands that there are for its addresses. */
export const inCommands = (message: string): string =>
  message.replace(/^The request is not valid: /, '').replaceAll('GET /v1/models', '`earshot models list`');

/** What the service says about a request, in the words of the command line. */
const inOptions = (message: string): string =>
  inCommands(message)
    .replace(/^\w+(?=[.:])/, (field) => OPTIONS[field] ?? field)
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (field) => OPTIONS[field] ?? field);

type Failure = { readonly code?: string | undefined; readonly message: string };

/** Why a recording could not be transcribed, in the words of the command line; about a full disk, which one and how full. */
export const explainFailure = async (client: Client, { code, message }: Failure): Promise<string> => {
  if (code === 'invalid_request') return inOptions(message);
  if (code !== 'disk_full') return message;
  const { data } = await client.call('system');
  return `${message} ${data.data_dir} is on that disk, which has ${formatBytes(data.disk_free)} free.`;
};

/** The error with its explanation, of the same kind. */
export const explained = async (client: Client, error: unknown): Promise<unknown> => {
  if (!(error instanceof ApiError)) return error;
  const { status, code, details, requestId } = error;
  const message = await explainFailure(client, { code, message: messageOf(error) });
  return new ApiError(status, { error: message, code, details, request_id: requestId });
};
