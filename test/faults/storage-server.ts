import { startStorage } from '../storage/support/start.ts';

/** The storage in a process of its own, for tests that kill it: `node storage-server.ts <data folder>`. */
const [, , root] = process.argv;
if (root === undefined) throw new Error('Name the data folder.');
const storage = await startStorage({ root });
process.once('SIGTERM', () => {
  storage.close().then(() => process.exit(0));
});
process.send?.({ url: storage.url, key: storage.ownerKey });
