import { flushCompileCache } from 'node:module';
import { startInProcess } from '../support/server.ts';

/**
 * The storage in a process of its own, for tests that kill it or measure its memory:
 * `node storage-server.ts <data folder>`. Answers any message with its peak memory since the last one, in bytes,
 * and its total processor time, in seconds.
 */
const [, , root] = process.argv;
if (root === undefined) throw new Error('Name the data folder.');
const storage = await startInProcess({ dataDir: root });
// Now, since a process that is killed leaves no compiled code for the next.
flushCompileCache();

let peak = 0;
const sample = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
setInterval(sample, 20).unref();

process.once('SIGTERM', () => {
  storage.close().then(() => process.exit(0));
});
process.on('message', () => {
  sample();
  const { user, system } = process.cpuUsage();
  process.send?.({ peak, cpu: (user + system) / 1e6 });
  peak = 0;
});
process.send?.({ url: storage.url, key: storage.key });
