import { apiErrorOf } from './http-client.ts';

export type PutOptions = {
  readonly type: string;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes sent so far. */
  readonly onSent?: ((bytes: number) => void) | undefined;
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the connection broke within the answer.
    return undefined;
  }
};

/** For browsers, in which only XMLHttpRequest reports the progress of an upload. */
const putByRequest = (url: string, file: Blob, { type, signal, onSent }: PutOptions): Promise<void> =>
  new Promise((settle, fail) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open('PUT', url);
    request.setRequestHeader('Content-Type', type);
    request.upload.addEventListener('progress', (event) => onSent?.(event.loaded));
    request.addEventListener('load', () =>
      request.status >= 200 && request.status < 300
        ? settle()
        : fail(apiErrorOf(request.status, jsonOf(request.responseText))),
    );
    request.addEventListener('error', () => fail(new TypeError('The upload did not reach the server.')));
    request.addEventListener('abort', () => fail(signal?.reason ?? new Error('The upload was stopped.')));
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', stop));
    signal?.addEventListener('abort', stop);
    // `abort()` before `send()` fires no event.
    if (signal?.aborted) fail(signal.reason);
    else request.send(file);
  });

/** The file's bytes as a stream that reports how many were read. */
const counted = (file: Blob, onSent: (bytes: number) => void): ReadableStream<Uint8Array> => {
  let sent = 0;
  return file.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        sent += chunk.byteLength;
        onSent(sent);
        controller.enqueue(chunk);
      },
    }),
  );
};

const putByFetch = async (url: string, file: Blob, options: PutOptions): Promise<void> => {
  const { type, signal, onSent, fetch = globalThis.fetch } = options;
  // Node's fetch requires `duplex` for a stream; the DOM types lack it.
  const streaming = { duplex: 'half' };
  const response = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': type },
    ...(onSent === undefined ? { body: file } : { body: counted(file, onSent), ...streaming }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw apiErrorOf(response.status, await response.json().catch(() => undefined));
};

/**
 * PUTs a file to a presigned address.
 * Rejects with `ApiError` for an error answer and with the signal's reason when aborted.
 */
export const putFile = (url: string, file: Blob, options: PutOptions): Promise<void> =>
  typeof XMLHttpRequest === 'undefined' || options.fetch !== undefined
    ? putByFetch(url, file, options)
    : putByRequest(url, file, options);
