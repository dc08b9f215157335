import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseClamdConf, pingClamd } from '../../../../electron/core/engines/scan/clamd.ts';
import { ensurePrograms } from '../../../support/debian.ts';

/** Whether ClamAV is available; installs it if possible. */
export const ensureClamav = (): boolean => ensurePrograms(['clamd', 'clamscan'], ['clamav', 'clamav-daemon']);

/** Text that the test's own signature matches and the built-in scanner does not. */
export const MARKER = 'earshot-test-signature-5d1f0a';
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

/** A signature database of two patterns. */
export const writeSignatures = (folder: string): string => {
  const database = join(folder, 'signatures');
  mkdirSync(database, { recursive: true });
  const line = (name: string, pattern: string) => `${name}:0:*:${Buffer.from(pattern).toString('hex')}\n`;
  writeFileSync(
    join(database, 'test.ndb'),
    line('Earshot.Test.Marker', MARKER) + line('Eicar-Test-Signature', EICAR),
  );
  return database;
};

export type Clamd = { readonly conf: string; stop(): Promise<void> };

/** Starts a clamd. It answers OK without scanning for files above `maxBytes`. */
export const startClamd = async (folder: string, database: string, maxBytes: number): Promise<Clamd> => {
  const conf = join(folder, 'clamd.conf');
  const text = [
    'Foreground yes',
    `DatabaseDirectory ${database}`,
    `LocalSocket ${join(folder, 'clamd.sock')}`,
    'FixStaleSocket yes',
    `StreamMaxLength ${maxBytes * 4}`,
    `MaxFileSize ${maxBytes}`,
    `MaxScanSize ${maxBytes}`,
    ...(process.getuid?.() === 0 ? ['User root'] : []),
  ].join('\n');
  writeFileSync(conf, `${text}\n`);
  const child: ChildProcess = spawn('clamd', [`--config-file=${conf}`], { stdio: 'ignore' });
  const config = parseClamdConf(text);
  if (config === undefined) throw new Error('The configuration names no socket.');
  for (let tries = 0; !(await pingClamd(config)); tries++) {
    if (tries > 300 || child.exitCode !== null) throw new Error('clamd did not start.');
    await sleep(100);
  }
  return {
    conf,
    stop: () =>
      new Promise((done) => {
        child.once('exit', () => done());
        child.kill('SIGKILL');
      }),
  };
};
