import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { transcription } from '../../../electron/contract/examples/transcripts.ts';
import { RenderingThread } from '../../../electron/core/http/long/renderings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const outline = { transcription, withWords: false, savedSegments: 0 };

/** A thread whose answers are made of the numbers of the requests. */
const threadAnswering = (answer: string): RenderingThread => {
  const entry = join(temporaryFolder(), 'thread.mjs');
  writeFileSync(
    entry,
    `import { parentPort } from 'node:worker_threads';
     parentPort.on('message', ({ number }) => parentPort.postMessage(${answer}));`,
  );
  return new RenderingThread('', pathToFileURL(entry));
};

const ask = (thread: RenderingThread) => thread.render(outline, { kind: 'sentences' });

it.each([
  ['a body of another type', '{ number, kind: "rendered", rendered: { headers: {}, body: 7 } }'],
  ['a header of another type', '{ number, kind: "rendered", rendered: { headers: { a: 7 }, body: "" } }'],
  ['an unknown kind', '{ number, kind: "lost" }'],
  ['no number', '{ kind: "changed" }'],
  ['no object', 'number'],
])(
  'a message with %s fails the answers that the thread owes, and the next one gets another thread',
  async (_, answer) => {
    const thread = threadAnswering(`number === 2 ? { number, kind: 'changed' } : ${answer}`);
    const owed = await Promise.allSettled([ask(thread), ask(thread)]);
    const reason = expect.objectContaining({ message: expect.stringMatching(/not part of the protocol/) });
    expect(owed).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(await ask(thread)).toEqual({ number: 2, kind: 'changed' });
    await thread.close();
  },
);
