import { execFile } from 'node:child_process';
import { openAsBlob, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiError } from '../../electron/contract/http-client.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);

/** Seconds by which a length may differ from ffmpeg's. */
const TOLERANCE = 0.02;
/** Milliseconds after which a file counts as hanging. */
const PATIENCE_MS = 300_000;
const BYTES_PER_SECOND = 2 * 16_000;

/** Seconds that plain ffmpeg decodes from a file's first track; null if nothing. */
const ffmpegSeconds = async (path: string): Promise<number | null> => {
  const args = ['-nostdin', '-v', 'quiet', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', '16000'];
  const options = { encoding: 'buffer', maxBuffer: 2 ** 31 } as const;
  const { stdout } = await run('ffmpeg', [...args, '-f', 's16le', '-'], options).catch(() => ({
    stdout: Buffer.alloc(0),
  }));
  return stdout.length === 0 ? null : stdout.length / BYTES_PER_SECOND;
};

type Outcome = { readonly kind: 'completed' | 'refused' | '5xx' | 'hangs'; readonly detail: string };

const send = async (
  { client }: TestServer,
  path: string,
  name: string,
): Promise<Outcome & { length?: number }> => {
  const form = new FormData();
  form.append('purpose', 'transcription');
  form.append('file', await openAsBlob(path), name);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const { data } = await client.call('uploadFile', { body: form, signal });
    const body = { audio_url: `storage:${data.file.key}`, language: 'en', wait_until_complete: true };
    const { status, duration, error } = await client.call('createTranscript', { body, signal });
    if (status === 'processing') return { kind: 'hangs', detail: 'is still processed' };
    if (error !== undefined) return { kind: 'refused', detail: error.message };
    return { kind: 'completed', detail: '', length: duration };
  } catch (error) {
    if (!(error instanceof ApiError)) return { kind: 'hangs', detail: String(error) };
    return { kind: error.status >= 500 ? '5xx' : 'refused', detail: `${error.status} ${error.message}` };
  }
};

/**
 * Sends every file of a folder through upload and transcription, one after another, and compares the length with what plain
 * ffmpeg decodes. Prints what is not as it should be, and what was refused though ffmpeg decodes it. Returns whether all is well.
 */
export const compareFiles = async (folder: string, say: (text: string) => void): Promise<boolean> => {
  const server = await startServer({ quick: true, model: 'starter-parakeet' });
  const counts = { completed: 0, refused: 0, '5xx': 0, hangs: 0, 'of another length': 0 };
  try {
    const limits = { 'limits.uploadsPer15Minutes': 0, 'limits.requestsPerMinute': 0 };
    await server.client.call('patchSettings', { body: limits });
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const { kind, detail, length } = await send(server, path, name);
      const decoded = await ffmpegSeconds(path);
      counts[kind]++;
      const difference = (length ?? 0) - (decoded ?? 0);
      if (kind === 'completed' && Math.abs(difference) > TOLERANCE) {
        counts['of another length']++;
        say(`${name}: ${difference.toFixed(3)} s longer than ffmpeg decodes it`);
      } else if (kind !== 'completed' && (kind !== 'refused' || decoded !== null)) {
        say(`${name}: ${kind}: ${detail}`);
      }
    }
  } finally {
    await discard(server);
  }
  say(
    Object.entries(counts)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', '),
  );
  return counts['5xx'] + counts.hangs + counts['of another length'] === 0;
};
