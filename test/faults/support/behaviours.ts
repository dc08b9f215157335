import type { Behaviour } from '../../support/url-server.ts';

const CHUNK = 16 * 1024;

/** Sends a file no faster than this, honouring Range. */
export const slow =
  (body: Buffer, bytesPerSecond: number): Behaviour =>
  (request, response) => {
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      'content-length': body.length - from,
      etag: `"${body.length}"`,
      'content-type': 'audio/wav',
      ...(request.headers.range === undefined
        ? {}
        : { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` }),
    });
    let at = from;
    const timer = setInterval(
      () => {
        response.write(body.subarray(at, at + CHUNK));
        at += CHUNK;
        if (at < body.length) return;
        clearInterval(timer);
        response.end();
      },
      (1000 * CHUNK) / bytesPerSecond,
    );
    response.on('close', () => clearInterval(timer));
  };
