import type { Summary, SummaryType } from '../../../contract/analysis.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { messageOf } from '../../base/errors.ts';
import { roundMs } from '../../base/numbers.ts';
import { type LocatedSentence, locateSentences } from '../sentences.ts';
import type { AnalysisTranscript, Summarizer } from '../types.ts';
import { bulletCount, extractiveSummary } from './extractive.ts';
import { type Bullet, formatSummary } from './format.ts';

export type SummaryRequest = {
  type: SummaryType;
  /** Defaults to the transcript's language. */
  language?: string;
  /** Whisper's English translation of the same audio. */
  translation?: AnalysisTranscript;
  /** The local language model, if the user has set one up. */
  summarizer?: Summarizer;
};

/** Summarizes by the language model if there is one, else by extraction. Sources refer to `transcript`'s sentences. */
export const summarize = async (
  transcript: AnalysisTranscript,
  request: SummaryRequest,
): Promise<{ summary: Summary; warnings: StoredWarning[] }> => {
  const warnings: StoredWarning[] = [];
  const sentences = locateSentences(transcript.text, transcript.segments);
  const language = request.language ?? transcript.language;
  if (request.summarizer && sentences.length > 0) {
    const written = await writeWithModel(sentences, language, request, request.summarizer);
    if ('summary' in written) return { summary: written.summary, warnings };
    warnings.push(written.warning);
  }
  const same = sameLanguage(language, transcript.language);
  const translation =
    !same && request.translation && sameLanguage(language, request.translation.language)
      ? request.translation
      : undefined;
  if (!same && !translation) {
    warnings.push(
      language.startsWith('en')
        ? `The summary stays in the transcript's language (${transcript.language}): there is no translation.`
        : `The summary stays in the transcript's language (${transcript.language}): ${language} needs a local language model in the settings.`,
    );
  }
  if (!translation)
    return {
      summary: extractiveSummary(sentences, transcript.language, request.type),
      warnings,
    };
  const translated = locateSentences(translation.text, translation.segments);
  const summary = extractiveSummary(translated, translation.language, request.type);
  return {
    summary: { ...summary, bullets: summary.bullets?.map((bullet) => sourceByTime(bullet, sentences)) },
    warnings,
  };
};

const sameLanguage = (a: string, b: string): boolean =>
  a.slice(0, 2).toLowerCase() === b.slice(0, 2).toLowerCase();

/** Replaces a translated bullet's source by the original sentences at its time. */
const sourceByTime = (bullet: Bullet, sentences: readonly LocatedSentence[]): Bullet => {
  const { start, end } = bullet.source;
  const ids = sentences
    .filter((sentence) => sentence.start < end && start < sentence.end)
    .map((sentence) => sentence.id);
  return { ...bullet, source: { sentence_ids: ids, start, end } };
};

const writeWithModel = async (
  sentences: readonly LocatedSentence[],
  language: string,
  request: SummaryRequest,
  summarizer: Summarizer,
): Promise<{ summary: Summary } | { warning: StoredWarning }> => {
  try {
    const items = await summarizer.summarize({
      sentences: sentences.map(({ id, text, speaker_id }) => ({ id, text, speaker_id })),
      language,
      bullets: bulletCount(sentences.length),
    });
    const byId = new Map(sentences.map((sentence) => [sentence.id, sentence]));
    const bullets = items.map((item) => withSource(item, byId)).filter((bullet) => bullet !== undefined);
    if (bullets.length === 0)
      return {
        warning: warningOf('llm_unusable'),
      };
    const text = formatSummary(bullets, request.type, language);
    return { summary: { text, type: request.type, language, engine: 'local_llm', bullets } };
  } catch (error) {
    return {
      warning: warningOf('llm_failed', { reason: messageOf(error) }),
    };
  }
};

/** A statement as a bullet; undefined if its sources do not exist, since nobody could check it. */
const withSource = (
  item: { text: string; sentence_ids: number[] },
  byId: ReadonlyMap<number, LocatedSentence>,
): Bullet | undefined => {
  const sources = item.sentence_ids.map((id) => byId.get(id)).filter((sentence) => sentence !== undefined);
  const text = item.text.replace(/\s+/gu, ' ').trim();
  if (sources.length === 0 || text === '') return undefined;
  const start = Math.min(...sources.map((sentence) => sentence.start));
  const end = Math.max(...sources.map((sentence) => sentence.end));
  return {
    text,
    source: {
      sentence_ids: sources.map((sentence) => sentence.id),
      start: roundMs(start),
      end: roundMs(end),
    },
  };
};
