import { SAMPLE_RATE } from '../core/base/audio.ts';
import { meanDirection } from '../core/base/vectors.ts';
import { type BlockVoice, linkSpeakers } from '../core/engines/diarizer/link-speakers.ts';
import { loadSherpa } from '../core/engines/diarizer/sherpa.ts';
import type {
  DiarizationModels,
  Diarization as Result,
  SpeakerTurn,
} from '../core/engines/diarizer/types.ts';

/** Longer recordings are taken block by block, so that memory stays flat; seconds. */
const BLOCK = 30 * 60;
/** As much of a voice as is listened to in a block; seconds. */
const VOICE = 60;
/** A shorter turn says little about a voice; seconds. */
const SHORTEST_TURN = 0.6;
/** The options that the models were measured with: see SPEAKERS-MODEL-CARD.md. */
const THRESHOLD = 0.5;
const MIN_ON = 0.3;
const MIN_OFF = 0.5;
const THREADS = 1;

type BlockTurn = SpeakerTurn & { readonly block: number };
type HeardVoice = BlockVoice & { readonly speaker: number };

const joined = (parts: readonly Float32Array[]): Float32Array => {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

const lengthOf = (turn: SpeakerTurn): number => turn.end - turn.start;

/** Tells the speakers of one recording apart, which comes piece by piece. */
export class Diarization {
  readonly #sherpa = loadSherpa();
  readonly #models: DiarizationModels;
  #parts: Float32Array[] = [];
  #samples = 0;
  #from = 0;
  #block = 0;
  readonly #turns: BlockTurn[] = [];
  readonly #voices: HeardVoice[] = [];

  constructor(models: DiarizationModels) {
    this.#models = models;
  }

  add(pcm: Float32Array): void {
    this.#parts.push(pcm);
    this.#samples += pcm.length;
    if (this.#samples >= BLOCK * SAMPLE_RATE) this.#endBlock(null);
  }

  finish(speakers: number | null): Result {
    // A number given for the whole holds for a recording of one block alone.
    const exactly = this.#block === 0 ? speakers : null;
    if (this.#samples > 0) this.#endBlock(exactly);
    const labels =
      exactly === null
        ? linkSpeakers(this.#voices, speakers, this.#models.sameVoice)
        : this.#voices.map(({ speaker }) => speaker);
    const labelOf = new Map(
      this.#voices.map(({ block, speaker }, index) => [`${block} ${speaker}`, labels[index] ?? 0]),
    );
    const turns = this.#turns.map(({ start, end, speaker, block }) => ({
      start,
      end,
      speaker: labelOf.get(`${block} ${speaker}`) ?? 0,
    }));
    return { turns, voices: this.#whole(labels) };
  }

  /** One voice a speaker, from those of all blocks. */
  #whole(labels: readonly number[]): Result['voices'] {
    return [...new Set(labels)].map((speaker) => {
      const own = this.#voices.filter((_, index) => labels[index] === speaker);
      const parts = own.map(({ embedding, seconds }) => ({ vector: embedding, weight: seconds }));
      return { speaker, embedding: meanDirection(parts) };
    });
  }

  /** `exactly`: how many speak in this block; null where it is not known. */
  #endBlock(exactly: number | null): void {
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
    const turns = diarization.process(samples);
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
    const embed = ({ start, end }: SpeakerTurn): Float32Array => {
      const stream = extractor.createStream();
      const sound = samples.subarray(Math.floor(start * SAMPLE_RATE), Math.floor(end * SAMPLE_RATE));
      stream.acceptWaveform({ samples: sound, sampleRate: SAMPLE_RATE });
      stream.inputFinished();
      // Electron forbids external buffers.
      return extractor.compute(stream, false);
    };
    for (const speaker of new Set(turns.map((turn) => turn.speaker))) {
      const own = turns
        .filter((turn) => turn.speaker === speaker)
        .toSorted((a, b) => lengthOf(b) - lengthOf(a));
      const heard: { vector: Float32Array; weight: number }[] = [];
      let seconds = 0;
      for (const turn of own) {
        if (seconds >= VOICE || (heard.length > 0 && lengthOf(turn) < SHORTEST_TURN)) break;
        heard.push({ vector: embed(turn), weight: lengthOf(turn) });
        seconds += lengthOf(turn);
      }
      const talked = own.reduce((sum, turn) => sum + lengthOf(turn), 0);
      this.#voices.push({
        block: this.#block,
        speaker,
        embedding: meanDirection(heard),
        seconds: talked,
      });
    }
  }
}
