import { WAV_HEADER_BYTES, wavHeader } from '../../electron/core/base/audio.ts';
import { fixture } from './fixtures.ts';

const RATE = 16_000;

/** Start and end of the note's four sentences in seconds. */
const SENTENCES = [
  [0.2, 4.3],
  [4.3, 6.7],
  [6.8, 11.4],
  [11.6, 14.3],
] as const;

const noteSamples = (): Int16Array => {
  const bytes = fixture('01-short-note.wav');
  return new Int16Array(
    bytes.buffer.slice(bytes.byteOffset + WAV_HEADER_BYTES, bytes.byteOffset + bytes.length),
  );
};

/** Mono 16-bit samples at 16 kHz as a WAV file. */
export const wav = (samples: Int16Array): Buffer => {
  const bytes = samples.byteLength;
  return Buffer.concat([wavHeader(bytes), Buffer.from(samples.buffer, samples.byteOffset, bytes)]);
};

const sentence = (note: Int16Array, index: number): Int16Array => {
  const [from, to] = SENTENCES[index % SENTENCES.length] ?? SENTENCES[0];
  return note.subarray(Math.round(from * RATE), Math.round(to * RATE));
};

/** A WAV file of a fifth of a second of silence: a whole recording that takes no time to transcribe. */
export const tinyWav = (): Buffer => wav(new Int16Array(RATE / 5));

/** A WAV file of the note's sentences in turn, one every `every` seconds, with silence in between. */
export const talk = (seconds: number, every = 8, first = 0): Buffer => {
  const note = noteSamples();
  const samples = new Int16Array(Math.round(seconds * RATE));
  for (let i = 0; i * every + 5 <= seconds; i++) {
    samples.set(sentence(note, first + i), Math.round(i * every * RATE));
  }
  return wav(samples);
};

/** A WAV file of the note's sentence number `index`, at most five seconds. */
export const oneSentence = (index = 0): Buffer => wav(sentence(noteSamples(), index));
