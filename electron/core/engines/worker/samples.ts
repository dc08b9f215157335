import type { ToWorker } from './protocol.ts';

/** The worker's descriptor of the pipe that carries samples to it: 32-bit floats, those of one task after the other. */
export const SAMPLES_FD = 4;

const hasSamples = (input: unknown): input is { readonly pcm: Float32Array } =>
  typeof input === 'object' && input !== null && 'pcm' in input && input.pcm instanceof Float32Array;

/**
 * Takes the samples out of a message, to be written as raw bytes: as a part of the message, they would be copied in both
 * processes, and the copies left to the garbage collector.
 */
export const takeSamples = (message: ToWorker): { message: ToWorker; bytes: Uint8Array | null } => {
  if (message.type !== 'run' || !hasSamples(message.input)) return { message, bytes: null };
  const { pcm, ...input } = message.input;
  return {
    message: { ...message, input, sampleCount: pcm.length },
    bytes: new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength),
  };
};

/**
 * Puts the samples back, of which `read` fills the bytes. Every message has to pass here, also that of a task that is not
 * performed, because the next task's samples come after its own.
 */
export const putSamples = (message: ToWorker, read: (bytes: Uint8Array) => void): ToWorker => {
  if (message.type !== 'run' || message.sampleCount === undefined) return message;
  const { sampleCount, input, ...rest } = message;
  const pcm = new Float32Array(sampleCount);
  read(new Uint8Array(pcm.buffer));
  return { ...rest, input: { ...Object(input), pcm } };
};
