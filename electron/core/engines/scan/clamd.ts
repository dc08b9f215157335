import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { connect, type NetConnectOpts, type Socket } from 'node:net';

const GIB = 1024 ** 3;
/** The largest limit that clamscan accepts. */
export const CLAMSCAN_MAX_BYTES = 2 * GIB - 1;
const CLAMSCAN_TIMEOUT_MS = 15 * 60_000;

/** Parses the output of `clamscan --no-summary` with its exit status: 0 clean, 1 found, 2 error. */
export const parseClamscan = (output: string, status: number | null): ScanVerdict => {
  const found = /: (.+) FOUND\s*$/m.exec(output);
  if (found?.[1] !== undefined) {
    return found[1].startsWith('Heuristics.Limits.Exceeded')
      ? { state: 'too_large' }
      : { state: 'infected', signature: found[1] };
  }
  if (status === 0 && /: (OK|Empty file)\s*$/m.test(output)) return { state: 'clean' };
  return { state: 'error', reason: `clamscan ended with ${status ?? 'a signal'}` };
};

/** Scans a file with `clamscan`, with limits that cover the whole file. */
export const scanWithClamscan = (
  program: string,
  path: string,
  database: string | undefined,
): Promise<ScanVerdict> =>
  new Promise((resolve) => {
    const limit = String(CLAMSCAN_MAX_BYTES);
    const args = [
      '--no-summary',
      `--max-filesize=${limit}`,
      `--max-scansize=${limit}`,
      '--alert-exceeds-max=yes',
      ...(database === undefined ? [] : [`--database=${database}`]),
      path,
    ];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], timeout: CLAMSCAN_TIMEOUT_MS });
    let output = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      output = (output + text).slice(-10_000);
    });
    child.on('error', (error) => resolve({ state: 'error', reason: error.message }));
    child.on('close', (status) => resolve(parseClamscan(output, status)));
  });

/** The result of a scan. Only `clean` means that every byte was scanned. */
export type ScanVerdict =
  | { readonly state: 'clean' }
  | { readonly state: 'infected'; readonly signature: string }
  | { readonly state: 'too_large' }
  | { readonly state: 'error'; readonly reason: string };

/** Where clamd listens, and the largest file for which its "OK" is reliable. */
export type ClamdConfig = { readonly address: NetConnectOpts; readonly maxBytes: number };

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };
const MIB = 1024 ** 2;

const parseSize = (text: string): number | undefined => {
  const match = /^(\d+)([kmg]?)$/i.exec(text);
  if (match?.[1] === undefined) return undefined;
  return Number(match[1]) * (UNITS[(match[2] ?? '').toLowerCase()] ?? 1);
};

/**
 * Parses a clamd.conf. clamd answers "OK" for a file over `MaxFileSize` or `MaxScanSize` without scanning all of it, so
 * `maxBytes` is the smallest of its limits (0: none). Returns undefined if the file names no socket.
 */
export const parseClamdConf = (text: string): ClamdConfig | undefined => {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([A-Za-z]\w*)\s+(.+?)\s*$/.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined)
      values.set(match[1].toLowerCase(), match[2].replace(/^"(.*)"$/, '$1'));
  }
  const limit = (name: string, fallback: number): number => {
    const size = parseSize(values.get(name) ?? '') ?? fallback;
    return size === 0 ? Number.POSITIVE_INFINITY : size;
  };
  const maxBytes = Math.min(
    limit('streammaxlength', 100 * MIB),
    limit('maxfilesize', 100 * MIB),
    limit('maxscansize', 400 * MIB),
  );
  const path = values.get('localsocket');
  if (path !== undefined) return { address: { path }, maxBytes };
  const port = Number(values.get('tcpsocket'));
  if (!Number.isInteger(port) || port <= 0) return undefined;
  return { address: { host: values.get('tcpaddr') ?? '127.0.0.1', port }, maxBytes };
};

/** Parses a reply of clamd, e.g. `stream: Eicar-Test-Signature FOUND`. */
export const parseClamdReply = (reply: string): ScanVerdict => {
  const text = reply.replaceAll('\0', '').trim();
  if (/size limit exceeded/i.test(text)) return { state: 'too_large' };
  const found = /^stream: (.+) FOUND$/.exec(text);
  if (found?.[1] !== undefined) {
    return found[1].startsWith('Heuristics.Limits.Exceeded')
      ? { state: 'too_large' }
      : { state: 'infected', signature: found[1] };
  }
  if (text === 'stream: OK') return { state: 'clean' };
  return { state: 'error', reason: text === '' ? 'no answer' : text.slice(0, 200) };
};

const TIMEOUT_MS = 300_000;

const frame = (chunk: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(chunk.length);
  return Buffer.concat([length, chunk]);
};

const waitForDrain = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', resolve);
  });

/** Sends a command with its data, and resolves with the whole reply of clamd. */
const converse = (address: NetConnectOpts, send: (socket: Socket) => Promise<void>): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(address);
    let reply = '';
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('clamd did not answer in time')));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      reply += text;
    });
    // A reply that arrived before the error is valid: clamd resets the connection of a stream over its limit.
    socket.on('error', (error) => (reply === '' ? reject(error) : resolve(reply)));
    socket.on('close', () => resolve(reply));
    socket.on('connect', () => {
      send(socket).catch((error: unknown) => socket.destroy(error instanceof Error ? error : undefined));
    });
  });

/** Whether a clamd listens at the address. */
export const pingClamd = async ({ address }: ClamdConfig): Promise<boolean> => {
  try {
    return (await converse(address, async (socket) => void socket.write('zPING\0'))).startsWith('PONG');
  } catch {
    return false;
  }
};

/** Scans a file through `INSTREAM`, so that clamd needs no permission to read it. */
export const scanWithClamd = async (
  config: ClamdConfig,
  path: string,
  size: number,
): Promise<ScanVerdict> => {
  if (size > config.maxBytes) return { state: 'too_large' };
  try {
    const reply = await converse(config.address, async (socket) => {
      socket.write('zINSTREAM\0');
      for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
        if (socket.destroyed) return;
        if (!socket.write(frame(chunk))) await waitForDrain(socket);
      }
      socket.write(Buffer.alloc(4));
    });
    return parseClamdReply(reply);
  } catch (error) {
    return { state: 'error', reason: error instanceof Error ? error.message : 'unknown' };
  }
};
