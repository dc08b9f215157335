import type { RedactSource } from '../../../electron/contract/analysis.ts';
import type { VocabularyEntry } from '../../../electron/contract/vocabulary.ts';
import { describeError } from '../../api/errors.ts';
import { invalidate } from '../../api/queries.ts';
import { type Range, type TranscriptRequest, toRequest } from '../../domain/transcript-request.ts';
import type { Services } from '../../hooks/services.tsx';
import type { Translate } from '../../i18n/index.ts';
import type { Source } from '../../stores/dialogs.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import type { FollowingRequest } from '../../stores/uploads.ts';

export const sourceName = (source: Source): string =>
  source.kind === 'file' ? source.file.name : source.kind === 'url' ? source.url : source.name;

/** Names the transcript: `harbour-interviews-02.flac` becomes `harbour-interviews-02`. */
const transcriptName = (source: Source): Pick<TranscriptRequest, 'name'> => {
  if (source.kind === 'url') return {};
  const name = sourceName(source)
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .trim();
  return name === '' ? {} : { name };
};

/** Stores a source that is not stored yet; the `audio_url` of it. */
export const uploadSource = async (
  { uploads, recording }: Services,
  source: Source,
  request?: FollowingRequest,
): Promise<string> => {
  if (source.kind === 'url') return source.url;
  if (source.kind === 'stored') return `storage:${source.key}`;
  const stored = source.recording === undefined ? undefined : await recording.keep(source.recording);
  const destination = { folder: 'recordings', purpose: 'transcription', request } as const;
  return `storage:${stored ?? (await uploads.send(source.file, destination))}`;
};

type Choices = {
  readonly options: TranscriptionOptions;
  readonly range: Range;
  /** What becomes of stored originals after a redaction. */
  readonly original: RedactSource;
  /** Empty for the user's own. */
  readonly vocabulary: readonly VocabularyEntry[];
  /** The library is empty so far. */
  readonly isFirst: boolean;
};

const startTranscription = async (
  services: Services,
  t: Translate,
  source: Source,
  { options, range, original, vocabulary, isFirst }: Choices,
) => {
  const { client, queries, library, toasts, uploads } = services;
  const request = {
    ...toRequest(options, range, source.kind === 'url' ? 'keep' : original, vocabulary),
    ...transcriptName(source),
  };
  // The list of uploads shows why one failed.
  const audioUrl = await uploadSource(services, source, request).catch(() => undefined);
  if (audioUrl === undefined) return;
  try {
    const body = { audio_url: audioUrl, ...request };
    const { id } = await uploads.listWhile(sourceName(source), client.call('createTranscript', { body }));
    if (isFirst) library.store.setState({ awaited: id });
    if (source.kind === 'stored' && source.recovered !== undefined) {
      await client.call('patchFile', { params: { fileKey: source.key }, body: source.recovered });
      await invalidate(queries, ['listFiles']);
    }
    await library.refresh();
  } catch (error) {
    toasts.show(`${sourceName(source)}: ${describeError(error, t)}`, { tone: 'bad' });
  }
};

/** Uploads each source that is a file and creates its transcript. A failure is shown and does not affect the others. */
export const startTranscriptions = (
  services: Services,
  t: Translate,
  sources: readonly Source[],
  choices: Choices,
): void => {
  for (const source of sources) void startTranscription(services, t, source, choices);
};
