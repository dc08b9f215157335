import type { AaiTranscript, AaiUnderstanding, AaiWord } from '../../../contract/assemblyai.ts';
import type { AnalysisOptions, Transcription } from '../../../contract/transcript.ts';
import { isNamed } from '../../base/speaker-names.ts';
import { formatEntities } from './formatting.ts';
import { aaiUtterances, aaiWords } from './words.ts';

const requestOf = ({ assemblyai }: AnalysisOptions) => assemblyai?.speech_understanding?.request ?? undefined;

/** The names of the identified speakers by label; others keep their label. */
const mappingOf = ({ speakers = {} }: Transcription): Record<string, string> =>
  Object.fromEntries(
    Object.entries(speakers).map(([label, speaker]) => [
      label,
      isNamed(label, speaker) ? speaker.name : label,
    ]),
  );

/** The words with their speakers' names, where the request asks for an identification. */
export const namedWords = (
  words: readonly AaiWord[],
  transcript: Transcription,
  options: AnalysisOptions,
): AaiWord[] => {
  if (requestOf(options)?.speaker_identification == null) return [...words];
  const names = new Map(Object.entries(mappingOf(transcript)));
  return words.map((word) => ({
    ...word,
    speaker: word.speaker === null ? null : (names.get(word.speaker) ?? word.speaker),
  }));
};

const formattingOf = (transcript: Transcription, options: AnalysisOptions) => {
  const asked = requestOf(options)?.custom_formatting;
  if (asked == null) return {};
  const language = transcript.language ?? 'en';
  const { mapping, apply } = formatEntities(transcript.entities ?? [], language, asked);
  const words = namedWords(aaiWords(transcript), transcript, options);
  const utterances = aaiUtterances(words).map((turn) => ({ ...turn, text: apply(turn.text) }));
  return {
    custom_formatting: {
      status: 'success' as const,
      mapping,
      formatted_text: apply(transcript.text),
      ...(options.diarize ? { formatted_utterances: utterances } : {}),
    },
  };
};

const responseOf = (transcript: Transcription, options: AnalysisOptions): AaiUnderstanding['response'] => ({
  ...(requestOf(options)?.speaker_identification == null
    ? {}
    : { speaker_identification: { status: 'success', mapping: mappingOf(transcript) } }),
  ...formattingOf(transcript, options),
});

/** The request for speech understanding, and its results once the transcript is completed. */
export const understandingOf = (
  transcript: Transcription,
  options: AnalysisOptions,
): Pick<AaiTranscript, 'speech_understanding'> => {
  const request = requestOf(options);
  if (request === undefined) return {};
  const isDone = transcript.status === 'completed';
  return {
    speech_understanding: { request, ...(isDone ? { response: responseOf(transcript, options) } : {}) },
  };
};
