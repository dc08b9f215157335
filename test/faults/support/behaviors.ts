import type { Behavior } from '../../support/url-server.ts';

const CHUNK = 16 * 1024;

/** Sends a file no faster than this, honouring Range. Of its last chunk a byte at a time, until `held` resolves. */
export const slow = (body: Buffer, bytesPerSecond: number, held?: Promise<void>): Behavior => {
  let isHeld = held !== undefined;
  void held?.then(() => {
    isHeld = false;
  });
  return (request, response) => {
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const from = Number(range?.[1] ?? 0);
    const to = Math.min(body.length, range?.[2] ? Number(range[2]) + 1 : body.length);
    response.writeHead(range === null ? 200 : 206, {
      'content-length': to - from,
      etag: `"${body.length}"`,
      'content-type': 'audio/wav',
      ...(range === null ? {} : { 'content-range': `bytes ${from}-${to - 1}/${body.length}` }),
    });
    let at = from;
    const timer = setInterval(
      () => {
        const bytes = isHeld && at + CHUNK >= body.length ? 1 : CHUNK;
        response.write(body.subarray(at, Math.min(to, at + bytes)));
        at += bytes;
        if (at < to) return;
        clearInterval(timer);
        response.end();
      },
      (1000 * CHUNK) / bytesPerSecond,
    );
    response.on('close', () => clearInterval(timer));
  };
};
