import { concatSamples, SAMPLE_RATE } from '../../base/audio.ts';
import { meanDirection } from '../../base/vectors.ts';
import { type BlockSpeaker, linkSpeakers } from './link-speakers.ts';
import type { Sherpa } from './sherpa.ts';
import type { Diarization, DiarizationModels, SpeakerTurn } from './types.ts';

/** Long recordings are diarized in blocks of this many seconds, so that memory stays flat. */
const BLOCK_SECONDS = 30 * 60;
/** At most this much of each speaker's speech in a block is embedded. */
const MAX_EMBEDDED_SECONDS = 60;
/** A shorter turn says little about a speaker's voice. */
const MIN_EMBEDDED_TURN_SECONDS = 0.6;
/** The options that the models were measured with: see SPEAKERS-MODEL-CARD.md. */
const CLUSTERING_THRESHOLD = 0.5;
const MIN_DURATION_ON = 0.3;
const MIN_DURATION_OFF = 0.5;
const THREADS = 1;

type BlockTurn = SpeakerTurn & { readonly block: number };
type EmbeddedSpeaker = BlockSpeaker & { readonly speaker: number };

const durationOf = (turn: SpeakerTurn): number => turn.end - turn.start;

/** Diarizes one recording that arrives in chunks: each block by itself, then links the speakers of all blocks. */
export class RecordingDiarizer {
  readonly #sherpa: Sherpa;
  readonly #models: DiarizationModels;
  #chunks: Float32Array[] = [];
  #samples = 0;
  #blockStart = 0;
  #block = 0;
  readonly #turns: BlockTurn[] = [];
  readonly #speakers: EmbeddedSpeaker[] = [];

  constructor(sherpa: Sherpa, models: DiarizationModels) {
    this.#sherpa = sherpa;
    this.#models = models;
  }

  add(pcm: Float32Array): void {
    this.#chunks.push(pcm);
    this.#samples += pcm.length;
    if (this.#samples >= BLOCK_SECONDS * SAMPLE_RATE) this.#endBlock(null);
  }

  finish(speakers: number | null): Diarization {
    // The number of speakers of the recording is that of a block only if there is a single block.
    if (this.#samples > 0) this.#endBlock(this.#block === 0 ? speakers : null);
    // sherpa-onnx does not cluster within its window of 10 seconds: a shorter recording has up to three speakers, whatever
    // number is given.
    const labels = linkSpeakers(this.#speakers, speakers, this.#models.sameSpeakerCosine);
    const labelOf = new Map(
      this.#speakers.map(({ block, speaker }, index) => [`${block} ${speaker}`, labels[index] ?? 0]),
    );
    const turns = this.#turns.map(({ start, end, speaker, block }) => ({
      start,
      end,
      speaker: labelOf.get(`${block} ${speaker}`) ?? 0,
    }));
    return { turns, embeddings: this.#embeddingsBy(labels) };
  }

  /** One embedding for each label, from those of all blocks. */
  #embeddingsBy(labels: readonly number[]): Diarization['embeddings'] {
    return [...new Set(labels)].map((speaker) => {
      const own = this.#speakers.filter((_, index) => labels[index] === speaker);
      const parts = own.map(({ embedding, seconds }) => ({ vector: embedding, weight: seconds }));
      return { speaker, embedding: meanDirection(parts) };
    });
  }

  /** @param speakers in this block; null if unknown. */
  #endBlock(speakers: number | null): void {
    const samples = concatSamples(this.#chunks);
    this.#chunks = [];
    this.#samples = 0;
    const diarization = new this.#sherpa.OfflineSpeakerDiarization({
      segmentation: {
        pyannote: {
          model: this.#models.segmentation,
          windowShiftRatio: this.#models.windowShiftRatio,
        },
        numThreads: THREADS,
      },
      embedding: { model: this.#models.embedding, numThreads: THREADS },
      clustering: { numClusters: speakers ?? -1, threshold: CLUSTERING_THRESHOLD },
      minDurationOn: MIN_DURATION_ON,
      minDurationOff: MIN_DURATION_OFF,
    });
    const turns = diarization.process(samples);
    for (const { start, end, speaker } of turns) {
      this.#turns.push({
        start: this.#blockStart + start,
        end: this.#blockStart + end,
        speaker,
        block: this.#block,
      });
    }
    this.#embedSpeakers(samples, turns);
    this.#blockStart += samples.length / SAMPLE_RATE;
    this.#block += 1;
  }

  /** Embeds each speaker of the block by the speaker's longest turns. */
  #embedSpeakers(samples: Float32Array, turns: readonly SpeakerTurn[]): void {
    const extractor = new this.#sherpa.SpeakerEmbeddingExtractor({
      model: this.#models.embedding,
      numThreads: THREADS,
    });
    const embed = ({ start, end }: SpeakerTurn): Float32Array => {
      const stream = extractor.createStream();
      const pcm = samples.subarray(Math.floor(start * SAMPLE_RATE), Math.floor(end * SAMPLE_RATE));
      stream.acceptWaveform({ samples: pcm, sampleRate: SAMPLE_RATE });
      stream.inputFinished();
      // Electron forbids external buffers.
      return extractor.compute(stream, false);
    };
    for (const speaker of new Set(turns.map((turn) => turn.speaker))) {
      const longestFirst = turns
        .filter((turn) => turn.speaker === speaker)
        .toSorted((a, b) => durationOf(b) - durationOf(a));
      const embedded: { vector: Float32Array; weight: number }[] = [];
      let embeddedSeconds = 0;
      for (const turn of longestFirst) {
        const isTooShort = embedded.length > 0 && durationOf(turn) < MIN_EMBEDDED_TURN_SECONDS;
        if (embeddedSeconds >= MAX_EMBEDDED_SECONDS || isTooShort) break;
        embedded.push({ vector: embed(turn), weight: durationOf(turn) });
        embeddedSeconds += durationOf(turn);
      }
      this.#speakers.push({
        block: this.#block,
        speaker,
        embedding: meanDirection(embedded),
        seconds: longestFirst.reduce((sum, turn) => sum + durationOf(turn), 0),
      });
    }
  }
}
