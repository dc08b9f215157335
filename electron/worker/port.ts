import { readSync } from 'node:fs';
import type { FromWorker, ToWorker } from '../core/engines/worker/protocol.ts';
import { putSamples, SAMPLES_FD } from '../core/engines/worker/samples.ts';

/** The worker's end of the channel to its host. */
export type Port = {
  send(message: FromWorker): void;
  onMessage(listener: (message: ToWorker) => void): void;
  /** Called when the host process has ended. */
  onDisconnect(listener: () => void): void;
};

/** Electron's utility process offers this on `process`; its types are not used outside Electron's own code. */
type ParentPort = {
  postMessage(message: FromWorker): void;
  on(event: 'message', listener: (event: { data: ToWorker }) => void): void;
};

const electronPort = (): ParentPort | undefined => {
  const host: NodeJS.Process & { parentPort?: ParentPort } = process;
  return host.parentPort;
};

/** Fills `bytes` from the pipe of samples. The host has written them, or is writing. */
const readSamples = (bytes: Uint8Array): void => {
  for (let offset = 0; offset < bytes.length; ) {
    const count = readSync(SAMPLES_FD, bytes, offset, bytes.length - offset, null);
    if (count === 0) throw new Error('The host has ended.');
    offset += count;
  }
};

/** Opens the channel under `child_process.fork` as well as under Electron's `utilityProcess`. */
export const openPort = (): Port => {
  const electron = electronPort();
  if (electron) {
    return {
      send: (message) => electron.postMessage(message),
      onMessage: (listener) => electron.on('message', ({ data }) => listener(data)),
      // Chromium ends its utility processes with the browser process.
      onDisconnect: () => {},
    };
  }
  return {
    send: (message) => {
      // A message to a host that has just ended is dropped: `disconnect` ends this process.
      if (process.connected) process.send?.(message, undefined, {}, () => {});
    },
    onMessage: (listener) =>
      process.on('message', (message: ToWorker) => listener(putSamples(message, readSamples))),
    onDisconnect: (listener) => process.on('disconnect', listener),
  };
};
