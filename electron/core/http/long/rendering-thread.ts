import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../base/errors.ts';
import { completeOutline } from '../../services/transcripts/present.ts';
import { type FromRenderingThread, render, type ToRenderingThread } from './rendering.ts';

const answer = async (message: ToRenderingThread): Promise<FromRenderingThread> => {
  const { number, databasePath, outline, rendering } = message;
  try {
    const whole = completeOutline(databasePath, outline);
    if (whole === undefined) return { number, kind: 'changed' };
    const { headers, body } = await render(rendering, whole);
    // Bytes are handed over; a string would be copied, and then encoded by the thread that answers requests.
    return { number, kind: 'rendered', rendered: { headers, body: Buffer.from(body) } };
  } catch (error) {
    return { number, kind: 'failed', error: messageOf(error) };
  }
};

/** The thread's side of `RenderingThread`. */
parentPort?.on('message', async (message: ToRenderingThread) => {
  const result = await answer(message);
  const body = result.kind === 'rendered' ? result.rendered.body : undefined;
  // Small buffers share a pool that cannot be handed over.
  const isOwned = body instanceof Uint8Array && body.byteLength === body.buffer.byteLength;
  parentPort?.postMessage(result, isOwned && body.buffer instanceof ArrayBuffer ? [body.buffer] : []);
});
