import { createRequire } from 'node:module';
import { concatSamples, SAMPLE_RATE } from '../../base/audio.ts';
import { cosine, meanDirection } from '../../base/numbers.ts';
import { onnxMetadata } from './onnx-header.ts';
import type { Diarization, DiarizationModels, SpeakerThresholds, SpeakerTurn } from './tasks.ts';

/** The part of `sherpa-onnx-node` that we use; the package has no types of its own. */
export type Sherpa = {
  readonly OfflineSpeakerDiarization: new (config: {
    segmentation: { pyannote: { model: string }; numThreads: number };
    embedding: { model: string; numThreads: number };
    clustering: { numClusters: number; threshold: number };
    minDurationOn: number;
    minDurationOff: number;
  }) => {
    process(samples: Float32Array): SpeakerTurn[];
  };
  readonly SpeakerEmbeddingExtractor: new (config: {
    model: string;
    numThreads: number;
  }) => {
    createStream(): {
      acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void;
      inputFinished(): void;
    };
    compute(stream: object, enableExternalBuffer: boolean): Float32Array;
  };
};

/** Loads the native library: call it in the worker process only. */
export const loadSherpa = (): Sherpa => createRequire(import.meta.url)('sherpa-onnx-node');

const THREADS = 1;

/** Both models of diarization, loaded. */
export type SpeakerEngine = {
  /** The length of the segmentation's window, in frames. */
  readonly windowFrames: number;
  /** Who speaks when within a window at most; seconds. Speakers may overlap, and have numbers of their own in each window. */
  turnsIn(window: Float32Array): readonly SpeakerTurn[];
  /** Embeds the voice in consecutive parts of sound. */
  embed(parts: readonly Float32Array[]): Float32Array;
};

/**
 * sherpa-onnx offers the segmentation only within its diarization. It neither embeds nor clusters sound that fits into one
 * window, so that calls with single windows are the segmentation alone.
 */
export const loadSpeakerEngine = async (
  sherpa: Sherpa,
  { segmentation, embedding }: Pick<DiarizationModels, 'segmentation' | 'embedding'>,
): Promise<SpeakerEngine> => {
  const windowSamples = Number((await onnxMetadata(segmentation))?.get('window_size'));
  if (!(windowSamples > 0)) throw new Error('The segmentation model does not name its window.');
  const diarization = new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: segmentation }, numThreads: THREADS },
    embedding: { model: embedding, numThreads: THREADS },
    clustering: { numClusters: -1, threshold: 0.5 },
    minDurationOn: 0,
    minDurationOff: 0,
  });
  const extractor = new sherpa.SpeakerEmbeddingExtractor({ model: embedding, numThreads: THREADS });
  return {
    windowFrames: Math.floor(windowSamples / FRAME),
    turnsIn: (window) => diarization.process(window),
    embed: (parts) => {
      const stream = extractor.createStream();
      for (const samples of parts) stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE });
      stream.inputFinished();
      // Electron forbids external buffers.
      return extractor.compute(stream, false);
    },
  };
};

/** Times are counted in frames of 10 ms. */
export const FRAME = SAMPLE_RATE / 100;
const FRAMES_PER_SECOND = SAMPLE_RATE / FRAME;

/** A stretch of time in frames; the end is exclusive. */
type Span = { readonly start: number; readonly end: number };

/** What one speaker says in a part of the recording, as the segmentation finds it. */
type LocalSpeech = {
  readonly spans: readonly Span[];
  /** Where only this one speaks: what the voice is recognized by. */
  readonly alone: readonly Span[];
};

/** A turn of at least this many frames is speech by itself: the segmentation confuses voices even within its window. */
const OWN_TURN = FRAMES_PER_SECOND;

const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { start, end }) => sum + end - start, 0);

/** The frames of a span that no other span covers. */
const without = (span: Span, others: readonly Span[]): Span[] => {
  const left: Span[] = [];
  let from = span.start;
  for (const { start, end } of others.toSorted((a, b) => a.start - b.start)) {
    if (end <= from || start >= span.end) continue;
    if (start > from) left.push({ start: from, end: start });
    from = end;
  }
  if (from < span.end) left.push({ start: from, end: span.end });
  return left;
};

/**
 * Speech in a part of a window of the segmentation: each long turn by itself, and the short ones of each speaker together.
 * `turns` are in seconds from the start of the window; `offset` is that start, `part` the part, in frames of the recording.
 */
const localSpeechOf = (turns: readonly SpeakerTurn[], offset: number, part: Span): LocalSpeech[] => {
  const clipped = turns
    .map(({ start, end, speaker }) => ({
      start: Math.max(part.start, offset + Math.round(start * FRAMES_PER_SECOND)),
      end: Math.min(part.end, offset + Math.round(end * FRAMES_PER_SECOND)),
      speaker,
    }))
    .filter(({ start, end }) => end > start);
  return [...new Set(clipped.map(({ speaker }) => speaker))].flatMap((speaker) => {
    const own = clipped.filter((turn) => turn.speaker === speaker);
    const others = clipped.filter((turn) => turn.speaker !== speaker);
    const long = own.filter(({ start, end }) => end - start >= OWN_TURN).map((turn) => [turn]);
    const short = own.filter(({ start, end }) => end - start < OWN_TURN);
    return [...long, ...(short.length > 0 ? [short] : [])].map((spans) => ({
      spans,
      alone: spans.flatMap((span) => without(span, others)),
    }));
  });
};

/** The turns of one speaker, in seconds: pauses up to `bridged` frames are no end of a turn. */
const turnsOf = (spans: readonly Span[], speaker: number, bridged: number): SpeakerTurn[] => {
  const turns: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = turns.at(-1);
    if (last !== undefined && start - last.end <= bridged) last.end = Math.max(last.end, end);
    else turns.push({ start, end });
  }
  return turns.map(({ start, end }) => ({
    start: start / FRAMES_PER_SECOND,
    end: end / FRAMES_PER_SECOND,
    speaker,
  }));
};

/** Speech of one speaker. */
type Voice = {
  readonly embedding: Float32Array;
  /** How long the speech lasts. */
  readonly seconds: number;
};

/**
 * A cluster with less than this share of all speech, bounded to these seconds, is a stray: a stretch of noise or
 * laughter, or too little speech to recognize a voice by.
 */
const STRAY_SHARE = 0.01;
const STRAY_SECONDS = { min: 2, max: 5 };

type Cluster = Voice & { readonly members: readonly number[] };

const merge = (a: Cluster, b: Cluster): Cluster => ({
  members: [...a.members, ...b.members],
  embedding: meanDirection([
    { vector: a.embedding, weight: a.seconds },
    { vector: b.embedding, weight: b.seconds },
  ]),
  seconds: a.seconds + b.seconds,
});

/** Agglomerative clustering by the cosine similarity of the clusters' mean embeddings, one merge at a time. */
class Agglomeration {
  readonly #clusters: Cluster[];
  /** `[i][j]` with j < i: of clusters i and j. */
  readonly #similarities: Float64Array[];

  constructor(voices: readonly Voice[]) {
    this.#clusters = voices.map((voice, index) => ({ ...voice, members: [index] }));
    this.#similarities = this.#clusters.map((a, i) =>
      Float64Array.from({ length: i }, (_, j) => cosine(a.embedding, voices[j]?.embedding ?? [])),
    );
  }

  get clusters(): readonly Cluster[] {
    return this.#clusters;
  }

  /** The two most similar clusters; undefined if fewer are left. */
  closest(): { i: number; j: number; similarity: number } | undefined {
    let best: { i: number; j: number; similarity: number } | undefined;
    for (const [i, row] of this.#similarities.entries()) {
      for (let j = 0; j < i; j++) {
        const similarity = row[j] ?? 0;
        if (best === undefined || similarity > best.similarity) best = { i, j, similarity };
      }
    }
    return best;
  }

  /** Puts the merged cluster in the place of the former, and the last cluster in that of the latter. */
  merge(i: number, j: number): void {
    const [a, b, last] = [this.#clusters[i], this.#clusters[j], this.#clusters.pop()];
    this.#similarities.pop();
    if (a === undefined || b === undefined || last === undefined) return;
    if (last !== a) this.#put(i, last);
    this.#put(j, merge(a, b));
  }

  #put(at: number, cluster: Cluster): void {
    this.#clusters[at] = cluster;
    for (const [other, { embedding }] of this.#clusters.entries()) {
      if (other === at) continue;
      const row = this.#similarities[Math.max(at, other)];
      if (row !== undefined) row[Math.min(at, other)] = cosine(cluster.embedding, embedding);
    }
  }
}

/** The clusters that are no strays: all, if none would be left. */
const substantial = (clusters: readonly Cluster[], limit: number): readonly Cluster[] => {
  const kept = clusters.filter(({ seconds }) => seconds >= limit);
  return kept.length > 0 ? kept : clusters;
};

/** Merges while clusters are as similar as this. */
const clustersByCosine = (voices: readonly Voice[], minCosine: number): readonly Cluster[] => {
  const agglomeration = new Agglomeration(voices);
  for (;;) {
    const pair = agglomeration.closest();
    if (pair === undefined || pair.similarity < minCosine) return agglomeration.clusters;
    agglomeration.merge(pair.i, pair.j);
  }
};

/** Merges as long as this many clusters are left that are no strays; as many of all, if there never are. */
const clustersByCount = (voices: readonly Voice[], speakers: number, limit: number): readonly Cluster[] => {
  const agglomeration = new Agglomeration(voices);
  let kept: readonly Cluster[] = agglomeration.clusters.slice();
  let isCounted = false;
  for (;;) {
    const { clusters } = agglomeration;
    const enough = clusters.filter(({ seconds }) => seconds >= limit).length >= speakers;
    if (enough || (!isCounted && clusters.length >= speakers)) kept = clusters.slice();
    isCounted ||= enough;
    const pair = agglomeration.closest();
    if (pair === undefined) return isCounted ? substantial(kept, limit) : kept;
    agglomeration.merge(pair.i, pair.j);
  }
};

type ClusterOptions = {
  /** The number of speakers; null if unknown. */
  readonly speakers: number | null;
  /** Without a number, clusters are merged whose mean embeddings have at least this cosine similarity. */
  readonly minCosine: number;
};

/** The cluster of each voice, from 0. A stray goes to the cluster that is most similar to it. */
export const clusterVoices = (
  voices: readonly Voice[],
  { speakers, minCosine }: ClusterOptions,
): number[] => {
  const total = voices.reduce((sum, { seconds }) => sum + seconds, 0);
  const limit = Math.max(STRAY_SECONDS.min, Math.min(STRAY_SECONDS.max, total * STRAY_SHARE));
  const clusters =
    speakers === null
      ? substantial(clustersByCosine(voices, minCosine), limit)
      : clustersByCount(voices, speakers, limit);
  const labels = new Map(clusters.flatMap(({ members }, label) => members.map((member) => [member, label])));
  return voices.map(({ embedding }, index) => labels.get(index) ?? mostSimilar(embedding, clusters));
};

/** The index of the embedding that is most similar to this one. */
const mostSimilar = (embedding: Float32Array, others: readonly Pick<Voice, 'embedding'>[]): number => {
  const similarities = others.map((other) => cosine(other.embedding, embedding));
  return similarities.indexOf(Math.max(...similarities));
};

/** Windows of the segmentation overlap by half: at its borders the model recognizes what is said on one side only. */
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
