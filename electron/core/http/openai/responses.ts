import { deflateSync } from 'node:zlib';
import { LANGUAGES } from '../../../contract/languages.ts';
import type { LogProbability, OpenAiDiarized, OpenAiText, OpenAiVerbose } from '../../../contract/openai.ts';
import type { Segment, Word } from '../../../contract/segments.ts';
import type { Transcription } from '../../../contract/transcript.ts';
import { mean, round } from '../../base/numbers.ts';
import { isNamed } from '../../base/speaker-names.ts';
import { languageCodes } from '../../base/spoken-languages.ts';
import { separatorBetween } from '../../base/text.ts';

export type Task = OpenAiVerbose['task'];

const usageOf = ({ duration }: Transcription) => ({
  type: 'duration' as const,
  seconds: Math.ceil(duration),
});

/** `english`: OpenAI writes language names in lower case. */
export const languageName = (code: string | null): string => {
  const names: Readonly<Record<string, string>> = LANGUAGES;
  return (names[code ?? ''] ?? code ?? 'unknown').toLowerCase();
};

/** Length of a text divided by its deflated length, in bytes (openai/whisper, `compression_ratio`): high for repetitive text. */
const compressionRatio = (text: string): number => {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
};

const logProbability = (confidence: number): number => Math.log(Math.max(1e-6, confidence));

const meanLogProbability = (words: readonly Word[]): number =>
  mean(words.map(({ confidence }) => logProbability(confidence)));

/** The name of a known speaker, else the letter. */
const nameOf = (label: string, speakers: Transcription['speakers'] = {}): string => {
  const speaker = speakers[label];
  return speaker !== undefined && isNamed(label, speaker) ? speaker.name : label;
};

const verboseSegment = (segment: Segment, speakers: Transcription['speakers']) => ({
  id: segment.id,
  seek: Math.round(segment.start * 100),
  start: segment.start,
  end: segment.end,
  text: segment.text,
  tokens: [],
  temperature: 0,
  avg_logprob: round(meanLogProbability(segment.words ?? []), 4),
  compression_ratio: round(compressionRatio(segment.text), 4),
  no_speech_prob: 0,
  ...(segment.speaker_id === null ? {} : { speaker: nameOf(segment.speaker_id, speakers) }),
});

const wordsOf = (transcript: Transcription): Word[] =>
  transcript.segments.flatMap((segment) => segment.words ?? []);

/** The engine's confidence in each word, as the log probability of a token; the tokens follow the text `before`. */
export const logProbabilities = (
  segments: readonly Pick<Segment, 'words'>[],
  before = '',
): LogProbability[] => {
  const words = segments.flatMap((segment) => segment.words ?? []);
  return words.map(({ word, confidence }, index) => {
    const text = word.trim();
    const token = separatorBetween(words[index - 1]?.word ?? before, text) + text;
    return { token, bytes: [...Buffer.from(token)], logprob: round(logProbability(confidence), 4) };
  });
};

/** What the answer has besides the text. */
export type TextParts = { readonly languages: boolean; readonly logprobs: boolean };

/** The parts of the finished text that were asked for. */
export const textParts = (
  { segments, ...spoken }: Pick<Transcription, 'language' | 'languages' | 'segments'>,
  { languages, logprobs }: TextParts,
): Pick<OpenAiText, 'languages' | 'logprobs'> => ({
  ...(languages ? { languages: languageCodes(spoken).map((code) => ({ code })) } : {}),
  ...(logprobs ? { logprobs: logProbabilities(segments) } : {}),
});

/** `json`. The transcript's segments need their words for log probabilities. */
export const openAiText = (transcript: Transcription, parts: TextParts): OpenAiText => ({
  text: transcript.text,
  ...textParts(transcript, parts),
  usage: usageOf(transcript),
});

/** `verbose_json`. The transcript's segments need their words. */
export const openAiVerbose = (
  transcript: Transcription,
  task: Task,
  granularities: readonly ('word' | 'segment')[],
): OpenAiVerbose => ({
  task,
  language: languageName(task === 'translate' ? 'en' : transcript.language),
  duration: transcript.duration,
  text: transcript.text,
  ...(granularities.includes('segment') || granularities.length === 0
    ? { segments: transcript.segments.map((segment) => verboseSegment(segment, transcript.speakers)) }
    : {}),
  ...(granularities.includes('word')
    ? { words: wordsOf(transcript).map(({ word, start, end }) => ({ word: word.trim(), start, end })) }
    : {}),
  usage: usageOf(transcript),
});

export const diarizedSegments = ({ segments, speakers }: Transcription): OpenAiDiarized['segments'] =>
  segments.map((segment) => ({
    type: 'transcript.text.segment' as const,
    id: `seg_${segment.id}`,
    start: segment.start,
    end: segment.end,
    text: segment.text,
    speaker: nameOf(segment.speaker_id ?? 'A', speakers),
  }));

/** `diarized_json`. */
export const openAiDiarized = (transcript: Transcription): OpenAiDiarized => ({
  task: 'transcribe',
  duration: transcript.duration,
  text: transcript.text,
  segments: diarizedSegments(transcript),
  usage: usageOf(transcript),
});
