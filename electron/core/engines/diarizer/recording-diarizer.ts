import { concatSamples } from '../../base/audio.ts';
import { meanDirection } from '../../base/vectors.ts';
import { clusterVoices, mostSimilar, type Voice } from './cluster-voices.ts';
import {
  FRAME,
  FRAMES_PER_SECOND,
  type LocalSpeech,
  lengthOf,
  localSpeechOf,
  type Span,
  turnsOf,
} from './local-speech.ts';
import type { SpeakerEngine } from './sherpa.ts';
import type { Diarization, SpeakerThresholds } from './types.ts';

/** Windows of the segmentation overlap by half: at its borders the model hears what is said on one side only. */
const WINDOW_STEP = 0.5;
/** Voices are clustered in blocks of this many frames, and the speakers of all blocks then: the work grows with its square. */
const BLOCK = 30 * 60 * FRAMES_PER_SECOND;
/** Less speech of a speaker alone is not embedded. */
const MIN_EMBEDDED = 0.4 * FRAMES_PER_SECOND;
/** An embedding of less speech is not clustered, but goes to the most similar cluster. */
const MIN_CLUSTERED = 1.5 * FRAMES_PER_SECOND;
/** A shorter pause of a speaker is no end of a turn. */
const MIN_PAUSE = 0.5 * FRAMES_PER_SECOND;

type EmbeddedSpeech = LocalSpeech & { readonly embedding: Float32Array | undefined };
/** A speaker of one block. */
type BlockSpeaker = Voice & { readonly spans: readonly Span[] };

const meanVoice = (voices: readonly Voice[]): Float32Array =>
  meanDirection(voices.map(({ embedding, seconds }) => ({ vector: embedding, weight: seconds })));

const voiceOf = ({ embedding, alone }: EmbeddedSpeech): Voice[] =>
  embedding === undefined ? [] : [{ embedding, seconds: lengthOf(alone) / FRAMES_PER_SECOND }];

/** The pause between two stretches of speech, in frames; less than 0 if they overlap. */
const pauseBetween = (a: LocalSpeech, b: LocalSpeech): number =>
  Math.min(
    ...a.spans.flatMap((x) => b.spans.map((y) => Math.max(x.start, y.start) - Math.min(x.end, y.end))),
  );

/**
 * Diarizes one recording that arrives in chunks. The segmentation finds who speaks in each window of ten seconds; the middle
 * of each is kept, so that every second is embedded once; clusters of the embeddings are the speakers. Holds the sound of a
 * window and a chunk.
 */
export class RecordingDiarizer {
  readonly #engine: SpeakerEngine;
  readonly #thresholds: SpeakerThresholds;
  /** Sound from frame `#windowStart` on. */
  #pcm: Float32Array = new Float32Array();
  #windowStart = 0;
  /** Speech up to here has been taken from windows. */
  #taken = 0;
  #blockStart = 0;
  #speech: EmbeddedSpeech[] = [];
  readonly #speakers: BlockSpeaker[] = [];

  constructor(engine: SpeakerEngine, thresholds: SpeakerThresholds) {
    this.#engine = engine;
    this.#thresholds = thresholds;
  }

  add(pcm: Float32Array): void {
    this.#pcm = concatSamples([this.#pcm, pcm]);
    const window = this.#engine.windowFrames;
    const step = Math.round(window * WINDOW_STEP);
    while (this.#pcm.length > window * FRAME) {
      this.#takeWindow(this.#windowStart + Math.floor((window + step) / 2));
      this.#windowStart += step;
      this.#pcm = this.#pcm.slice(step * FRAME);
      if (this.#taken - this.#blockStart >= BLOCK) this.#endBlock(null);
    }
  }

  finish(speakers: number | null): Diarization {
    this.#takeWindow(this.#windowStart + Math.ceil(this.#pcm.length / FRAME));
    // The number of speakers of the recording is that of a block only if there is a single block.
    this.#endBlock(this.#blockStart === 0 ? speakers : null);
    const labels = clusterVoices(this.#speakers, { speakers, minCosine: this.#thresholds.sameSpeakerCosine });
    const bySpeaker = [...new Set(labels)].map((speaker) => ({
      speaker,
      own: this.#speakers.filter((_, index) => labels[index] === speaker),
    }));
    return {
      turns: bySpeaker
        .flatMap(({ speaker, own }) =>
          turnsOf(
            own.flatMap(({ spans }) => spans),
            speaker,
            MIN_PAUSE,
          ),
        )
        .toSorted((a, b) => a.start - b.start),
      embeddings: bySpeaker.map(({ speaker, own }) => ({ speaker, embedding: meanVoice(own) })),
    };
  }

  /** Segments the window at the start of the sound, and embeds the speech in it that begins where the last one ended. */
  #takeWindow(end: number): void {
    const window = this.#pcm.slice(0, this.#engine.windowFrames * FRAME);
    const part = { start: this.#taken, end };
    for (const speech of localSpeechOf(this.#engine.turnsIn(window), this.#windowStart, part)) {
      const embedding = lengthOf(speech.alone) < MIN_EMBEDDED ? undefined : this.#embed(speech.alone);
      this.#speech.push({ ...speech, embedding });
    }
    this.#taken = end;
  }

  #embed(spans: readonly Span[]): Float32Array {
    return this.#engine.embed(
      spans.map(({ start, end }) =>
        this.#pcm.slice((start - this.#windowStart) * FRAME, (end - this.#windowStart) * FRAME),
      ),
    );
  }

  /** @param speakers in this block; null if unknown. */
  #endBlock(speakers: number | null): void {
    const clusters = this.#clusters(speakers);
    for (const own of clusters) {
      const voices = own.flatMap(voiceOf);
      this.#speakers.push({
        embedding: meanVoice(voices),
        seconds: voices.reduce((sum, { seconds }) => sum + seconds, 0),
        spans: own.flatMap(({ spans }) => spans),
      });
    }
    this.#speech = [];
    this.#blockStart = this.#taken;
  }

  /** The block's speech by speaker. Speech that is too short to cluster joins the most similar, or the nearest in time. */
  #clusters(speakers: number | null): EmbeddedSpeech[][] {
    const embedded = this.#speech.filter(({ embedding }) => embedding !== undefined);
    const long = embedded.filter(({ alone }) => lengthOf(alone) >= MIN_CLUSTERED);
    const clustered = long.length > 0 ? long : embedded;
    const labels = clusterVoices(clustered.flatMap(voiceOf), {
      speakers,
      minCosine: 1 - this.#thresholds.clusteringThreshold,
    });
    const labelOf = new Map(clustered.map((speech, index) => [speech, labels[index] ?? 0]));
    const clusters = [...new Set(labels)].toSorted((a, b) => a - b);
    const means = clusters.map((label) => ({
      embedding: meanVoice(clustered.filter((speech) => labelOf.get(speech) === label).flatMap(voiceOf)),
    }));
    for (const speech of embedded) {
      const { embedding } = speech;
      if (embedding !== undefined && !labelOf.has(speech)) labelOf.set(speech, mostSimilar(embedding, means));
    }
    const known = [...labelOf];
    for (const speech of this.#speech.filter(({ embedding }) => embedding === undefined)) {
      const pauses = known.map(([other, label]) => ({ label, pause: pauseBetween(speech, other) }));
      const nearest = pauses.filter(({ pause }) => pause >= 0).toSorted((a, b) => a.pause - b.pause)[0];
      if (nearest !== undefined) labelOf.set(speech, nearest.label);
    }
    return clusters.map((label) => this.#speech.filter((speech) => labelOf.get(speech) === label));
  }
}
