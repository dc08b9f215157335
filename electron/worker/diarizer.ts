import { linkSpeakers } from '../core/engines/diarizer/link-speakers.ts';
import { loadSherpa } from '../core/engines/diarizer/sherpa.ts';
import type { DiarizationModels, SpeakerTurn } from '../core/engines/diarizer/types.ts';
import type { ToWorker } from '../core/engines/whisper/protocol.ts';
import type { Port } from './port.ts';

const SAMPLE_RATE = 16_000;
/** Longer recordings are taken block by block, so that memory stays flat; seconds. */
const BLOCK = 30 * 60;
/** As much of a voice as is listened to when it is looked for in other blocks; seconds. */
const VOICE = 30;
/** The options that the models were measured with: see SPEAKERS-MODEL-CARD.md. */
const THRESHOLD = 0.5;
const MIN_ON = 0.3;
const MIN_OFF = 0.5;
const THREADS = 1;

type Voice = { block: number; speaker: number; embedding: Float32Array };

const joined = (parts: readonly Float32Array[]): Float32Array => {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** Tells the speakers of one recording apart, which comes piece by piece. */
class Diarization {
  readonly #sherpa = loadSherpa();
  readonly #models: DiarizationModels;
  #parts: Float32Array[] = [];
  #samples = 0;
  #from = 0;
  #block = 0;
  readonly #turns: (SpeakerTurn & { block: number })[] = [];
  readonly #voices: Voice[] = [];

  constructor(models: DiarizationModels) {
    this.#models = models;
  }

  add(pcm: Float32Array, speakers: number | null): void {
    this.#parts.push(pcm);
    this.#samples += pcm.length;
    if (this.#samples >= BLOCK * SAMPLE_RATE) this.#endBlock(null, speakers);
  }

  finish(speakers: number | null): SpeakerTurn[] {
    // A number given for the whole holds for a recording of one block alone.
    if (this.#samples > 0) this.#endBlock(this.#block === 0 ? speakers : null, speakers);
    if (this.#block <= 1) return this.#turns.map(({ start, end, speaker }) => ({ start, end, speaker }));
    const labels = linkSpeakers(this.#voices, speakers, THRESHOLD);
    const labelOf = new Map(
      this.#voices.map(({ block, speaker }, index) => [`${block} ${speaker}`, labels[index] ?? 0]),
    );
    return this.#turns.map(({ start, end, speaker, block }) => ({
      start,
      end,
      speaker: labelOf.get(`${block} ${speaker}`) ?? 0,
    }));
  }

  /** `exactly`: how many speak in this block; `most`: how many at most. Null where it is not known. */
  #endBlock(exactly: number | null, most: number | null): void {
    const samples = joined(this.#parts);
    this.#parts = [];
    this.#samples = 0;
    const diarization = new this.#sherpa.OfflineSpeakerDiarization({
      segmentation: { pyannote: { model: this.#models.segmentation }, numThreads: THREADS },
      embedding: { model: this.#models.embedding, numThreads: THREADS },
      clustering: { numClusters: exactly ?? -1, threshold: THRESHOLD },
      minDurationOn: MIN_ON,
      minDurationOff: MIN_OFF,
    });
    let turns = diarization.process(samples);
    if (most !== null && new Set(turns.map((turn) => turn.speaker)).size > most) {
      diarization.setConfig({ clustering: { numClusters: most, threshold: THRESHOLD } });
      turns = diarization.process(samples);
    }
    for (const { start, end, speaker } of turns) {
      const turn = { start: this.#from + start, end: this.#from + end, speaker, block: this.#block };
      this.#turns.push(turn);
    }
    this.#listen(samples, turns);
    this.#from += samples.length / SAMPLE_RATE;
    this.#block += 1;
  }

  /** Notes how each voice of the block sounds, by its longest turns. */
  #listen(samples: Float32Array, turns: readonly SpeakerTurn[]): void {
    const extractor = new this.#sherpa.SpeakerEmbeddingExtractor({
      model: this.#models.embedding,
      numThreads: THREADS,
    });
    for (const speaker of new Set(turns.map((turn) => turn.speaker))) {
      const own = turns.filter((turn) => turn.speaker === speaker);
      const parts: Float32Array[] = [];
      let seconds = 0;
      for (const { start, end } of own.toSorted((a, b) => b.end - b.start - (a.end - a.start))) {
        if (seconds >= VOICE) break;
        parts.push(samples.subarray(Math.floor(start * SAMPLE_RATE), Math.floor(end * SAMPLE_RATE)));
        seconds += end - start;
      }
      const stream = extractor.createStream();
      stream.acceptWaveform({ samples: joined(parts), sampleRate: SAMPLE_RATE });
      stream.inputFinished();
      // Electron forbids external buffers.
      this.#voices.push({ block: this.#block, speaker, embedding: extractor.compute(stream, false) });
    }
  }
}

/** Serves one recording, then ends when it is told to. */
export const serveDiarizer = (port: Port): void => {
  let diarization: Diarization | undefined;
  const perform = (task: Extract<ToWorker, { type: 'run' }>['task']): SpeakerTurn[] => {
    if (task.kind !== 'diarizePiece' && task.kind !== 'diarizeEnd') {
      throw new Error('This process tells speakers apart, and nothing else.');
    }
    diarization ??= new Diarization(task.models);
    if (task.kind === 'diarizeEnd') return diarization.finish(task.speakers);
    diarization.add(task.pcm, task.speakers);
    return [];
  };
  port.onMessage((message) => {
    if (message.type === 'stop') process.exit(0);
    if (message.type !== 'run') return;
    try {
      port.send({ type: 'done', id: message.id, result: perform(message.task) });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      port.send({ type: 'failed', id: message.id, code: 'engine_failed', message: text });
    }
  });
};
