import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { filesAfter, storageTotals, writeIntents } from '../../electron/core/stores/files.ts';
import { cacheDir } from '../../native/build.mjs';
import { objectsIn } from '../http/storage/support/objects.ts';
import { createRandom, SEED } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const random = createRandom(SEED);

/** A server in a process of its own. */
type Server = { readonly url: string; readonly key: string; readonly child: ChildProcess };

const startServer = (root: string): Promise<Server> =>
  new Promise((done, failed) => {
    const child = fork(join(import.meta.dirname, 'storage-server.ts'), [root], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(cacheDir(), 'code') },
    });
    child.once('message', ({ url, key }: { url: string; key: string }) => done({ url, key, child }));
    child.once('exit', (code) => failed(new Error(`The server ended with ${code} before it was ready.`)));
  });

const end = (server: Server, signal: NodeJS.Signals): Promise<void> =>
  new Promise((done) => {
    server.child.removeAllListeners('exit');
    server.child.once('exit', () => done());
    server.child.kill(signal);
  });

type Sent = { readonly sha256: string; readonly acknowledged: boolean };

/** Uploads `bytes`; with `cutAt`, resets the connection after that many bytes of the form. */
const send = ({ url, key }: Server, bytes: Buffer, cutAt?: number): Promise<Sent> =>
  new Promise((done) => {
    const boundary = 'boundary-of-the-form';
    const body = Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\n`),
      bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const outgoing = request(`${url}/v1/storage/upload`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': body.length,
      },
    });
    outgoing.on('response', (response) => {
      response.resume();
      response.on('close', () =>
        done({ sha256, acknowledged: response.statusCode === 201 && response.complete }),
      );
    });
    outgoing.on('error', () => done({ sha256, acknowledged: false }));
    if (cutAt === undefined) outgoing.end(body);
    else outgoing.write(body.subarray(0, cutAt % body.length), () => outgoing.destroy());
  });

const someText = (size: number): Buffer =>
  Buffer.from(
    random
      .bytes(Math.ceil(size / 2))
      .toString('hex')
      .slice(0, size),
  );

export type Findings = {
  readonly rows: number;
  readonly objects: number;
  readonly acknowledged: number;
  /** Broken invariants. */
  readonly problems: string[];
};

/** Compares rows, objects and usage in a data folder that no process has open. */
export const examine = (root: string, acknowledged: readonly string[]): Findings => {
  const db = openDatabase(join(root, 'earshot.db'), { logger: silentLogger, now: Date.now });
  const problems: string[] = [];
  try {
    const rows = filesAfter(db, '', Number.MAX_SAFE_INTEGER);
    const objects = new Map(objectsIn(join(root, 'objects')).map((path) => [basename(path), path]));
    const stored = new Set<string>();
    for (const row of rows) {
      const path = objects.get(row.object);
      if (path === undefined) problems.push(`${row.id}: row without its file`);
      else if (createHash('sha256').update(readFileSync(path)).digest('hex') !== row.sha256) {
        problems.push(`${row.id}: altered or partial file`);
      }
      stored.add(row.sha256);
      objects.delete(row.object);
    }
    for (const path of objects.values()) problems.push(`${path}: file without its row`);
    for (const hash of acknowledged)
      if (!stored.has(hash)) problems.push(`${hash}: acknowledged, but missing`);
    const bytes = rows.reduce((sum, row) => sum + row.size, 0);
    const totals = storageTotals(db);
    if (totals.bytes !== bytes || totals.files !== rows.length) problems.push('usage is not exact');
    if (writeIntents(db).length > 0) problems.push('write intents are left');
    return {
      rows: rows.length,
      objects: rows.length + objects.size,
      acknowledged: acknowledged.length,
      problems,
    };
  } finally {
    db.close();
  }
};

/**
 * Cuts off `cuts` uploads at random bytes, and kills the server `kills` times at random moments during several uploads;
 * then starts it, stops it cleanly, and examines the data folder.
 */
export const runFaults = async (root: string, cuts: number, kills: number): Promise<Findings> => {
  const acknowledged: string[] = [];
  const note = (results: readonly Sent[]) => {
    for (const { sha256, acknowledged: known } of results) if (known) acknowledged.push(sha256);
  };
  let server = await startServer(root);
  for (let i = 0; i < cuts; i++) {
    const bytes = someText(random.int(1, 399_999));
    note([await send(server, bytes, random.int(1, bytes.length + 199))]);
    if (i % 10 === 0) note([await send(server, bytes)]);
  }
  for (let i = 0; i < kills; i++) {
    const uploads = Array.from({ length: 4 }, () => send(server, someText(random.int(1, 1_499_999))));
    await sleep(random.int(0, 299));
    await end(server, 'SIGKILL');
    note(await Promise.all(uploads));
    server = await startServer(root);
  }
  await end(server, 'SIGTERM');
  return examine(root, acknowledged);
};

// `node test/faults/uploads.ts 200 50` is the long run.
if (import.meta.main) {
  const [, , cuts = '200', kills = '50'] = process.argv;
  const root = temporaryFolder();
  const findings = await runFaults(root, Number(cuts), Number(kills));
  rmSync(root, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify(findings, undefined, 2)}\n`);
  process.exitCode = findings.problems.length === 0 ? 0 : 1;
}
