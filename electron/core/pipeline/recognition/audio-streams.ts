import { AppError, isAppError } from '../../base/errors.ts';
import type {
  AudioChunk,
  ChannelSelection,
  Decode,
  DecodeSummary,
  MediaInfo,
} from '../../engines/ffmpeg/types.ts';

/** A stream of audio that is recognized by itself: a channel, or all of the recording mixed down to one. */
export type RecognizedStream = {
  /** The number of the channel, counted over all tracks from 0; null for the mix. */
  readonly channel: number | null;
  readonly select?: ChannelSelection;
};

/** Channels that are recognized by themselves, at most: each takes the time and the memory of a recording. */
export const MAX_CHANNELS = 8;

const MIX: RecognizedStream = { channel: null };

/** Throws `too_many_channels`. */
export const audioStreamsOf = (
  { audioStreams: tracks }: Pick<MediaInfo, 'audioStreams'>,
  { multichannel }: { readonly multichannel: boolean },
): readonly RecognizedStream[] => {
  if (!multichannel) return [MIX];
  const selected = tracks.flatMap(({ channels }, track) =>
    // A track that does not say how many channels it has has one at least.
    Array.from({ length: Math.max(1, channels) }, (_, channel): ChannelSelection => ({ track, channel })),
  );
  if (selected.length > MAX_CHANNELS) {
    const of = tracks.length > 1 ? ` in ${tracks.length} tracks` : '';
    throw new AppError(
      'too_many_channels',
      `The recording has ${selected.length} audio channels${of}; at most ${MAX_CHANNELS} can be transcribed each by itself. Transcribe it without multichannel.`,
    );
  }
  return selected.map((select, channel) => ({ channel, select }));
};

export type StreamChunk = { readonly stream: number; readonly chunk: AudioChunk };

type Reader = { readonly stream: number; readonly chunks: AsyncIterator<AudioChunk>; position: number };

/** Undefined at the end of the stream. A track that ends before the requested range is empty, beside others that do not. */
const nextChunk = async ({ stream, chunks }: Reader): Promise<AudioChunk | undefined> => {
  try {
    const { done, value } = await chunks.next();
    return done ? undefined : value;
  } catch (error) {
    if (stream > 0 && isAppError(error) && error.code === 'empty_range') return undefined;
    throw error;
  }
};

/**
 * Reads the chunks of several streams in order of time: the next is that of the stream which is behind. The streams that
 * wait hold one chunk's buffer each. `onEnd` gets where a stream ended. Leaving the loop ends all decodes.
 */
export async function* readInTurn(
  decodes: readonly Pick<Decode, 'chunks'>[],
  positions: readonly number[],
  onEnd: (position: number) => void,
): AsyncGenerator<StreamChunk, void, undefined> {
  const all = decodes.map(
    ({ chunks }, stream): Reader => ({
      stream,
      chunks: chunks[Symbol.asyncIterator](),
      position: positions[stream] ?? 0,
    }),
  );
  const reading = new Set(all);
  try {
    while (reading.size > 0) {
      const reader = [...reading].reduce((behind, other) =>
        other.position < behind.position ? other : behind,
      );
      const chunk = await nextChunk(reader);
      if (chunk === undefined) {
        reading.delete(reader);
        onEnd(reader.position);
        continue;
      }
      reader.position = chunk.end;
      yield { stream: reader.stream, chunk };
    }
  } finally {
    await Promise.all(all.map(({ chunks }) => chunks.return?.()));
  }
}

/** What was decoded of all streams: as long as the longest of them. */
export const summaryOf = (decodes: readonly Pick<Decode, 'summary'>[]): DecodeSummary => {
  const summaries = decodes.map((decode) => decode.summary());
  return {
    duration: Math.max(0, ...summaries.map(({ duration }) => duration)),
    warnings: [...new Set(summaries.flatMap(({ warnings }) => warnings))],
  };
};
