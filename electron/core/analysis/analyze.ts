import { type ContentSafety, type Entity, type PiiPolicy, resolvePolicies } from '../../contract/analysis.ts';
import { type StoredWarning, warningOf } from '../../contract/warnings.ts';
import { messageOf } from '../base/errors.ts';
import { joinTexts } from '../base/text.ts';
import { detectEntities } from './detect.ts';
import { Tagger } from './names/tagger.ts';
import { chosenSpans, withoutDecided } from './pii/decisions.ts';
import { type RedactionOptions, redactTranscript } from './pii/redact.ts';
import { countLeft, countPolicies, detectPrivateData } from './pii/redaction-spans.ts';
import { type TaggedData, tagPrivateData, uniteFinds } from './pii/tagged-data.ts';
import { assessContentSafety } from './safety/content-safety.ts';
import { maskAlternatives, maskSpans } from './safety/mask.ts';
import { toEntities } from './spans.ts';
import { summarize } from './summary/summarize.ts';
import { findKeyPhrases } from './topics/key-phrases.ts';
import { findTopics } from './topics/topics.ts';
import type {
  AnalysisDependencies,
  AnalysisOptions,
  AnalysisResult,
  AnalysisTranscript,
  PolicyCounts,
  PrivateDataTagger,
  RedactedWord,
} from './types.ts';

/**
 * Runs the requested analyses. Private data is redacted first and profanity masked second; topics, key phrases and
 * the summary see only the result. Entities are detected in the original and moved to their offsets in the result.
 * Pure but for summarizer and tagger. Takes seconds for hours of text: run it in a thread.
 *
 * `redacted` is present with `redact_pii`, and with `content_safety` if something was masked. Throws for no text.
 */
export const analyze = async (
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: AnalysisDependencies,
): Promise<AnalysisResult> => {
  const progress = dependencies.onProgress ?? (() => {});
  const result: AnalysisResult = { warnings: languageWarnings(transcript.language, options) };
  progress(0);
  const cleaned = await redactAndMask(transcript, options, dependencies, progress);
  result.warnings.push(...cleaned.warnings);
  const current = cleaned.transcript;
  progress(0.65);
  if (cleaned.report) result.content_safety = cleaned.report;
  if (options.redact_pii) result.private_data = { hidden: countPolicies(cleaned.hidden), left: cleaned.left };
  if (options.entity_detection) result.entities = refreshTexts(cleaned.entities, current.text);
  if (options.redact_pii || cleaned.isMasked)
    result.redacted = { text: current.text, segments: current.segments, redacted_words: cleaned.words };
  if (options.topics) {
    result.topics = isEnglish(current.language) ? findTopics(current.text) : [];
    result.key_phrases = findKeyPhrases(current.text, current.language);
  }
  progress(0.8);
  if (options.summarization) await addSummary(result, current, options, dependencies);
  progress(1);
  return result;
};

const addSummary = async (
  result: AnalysisResult,
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: AnalysisDependencies,
): Promise<void> => {
  const { summarizer } = dependencies;
  const translation = dependencies.translation
    ? await redactTranslation(dependencies.translation, options, dependencies)
    : undefined;
  const request = {
    type: options.summary_type ?? 'bullets',
    language: options.summary_language,
    translation,
    summarizer,
  } as const;
  const { summary, warnings } = await summarize(transcript, request);
  result.summary = summary;
  result.warnings.push(...warnings);
};

/** Redacts and masks a translation like the transcript itself. */
const redactTranslation = async (
  translation: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: AnalysisDependencies,
): Promise<AnalysisTranscript> => {
  const { transcript } = await redactAndMask(
    translation,
    { ...options, entity_detection: false },
    dependencies,
  );
  return transcript;
};

type Cleaned = {
  transcript: AnalysisTranscript;
  entities: Entity[];
  words: RedactedWord[];
  /** What content safety found before it masked anything. */
  report?: ContentSafety;
  isMasked: boolean;
  /** Private values, by policy. */
  hidden: PiiPolicy[];
  left: PolicyCounts;
  warnings: StoredWarning[];
};

/** Redacts private data and masks profanity. A mask may bare private data ("a55-42367"), so both repeat until nothing changes. */
const redactAndMask = async (
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: AnalysisDependencies,
  onProgress: (share: number) => void = () => {},
): Promise<Cleaned> => {
  const { secret } = dependencies;
  const pii = await redactPii(transcript, options, dependencies);
  onProgress(0.5);
  const cleaned: Cleaned = { ...pii, transcript: dropEmptySegments(pii.transcript), isMasked: false };
  while (options.content_safety) {
    const { report, profanity } = assessContentSafety(cleaned.transcript);
    cleaned.report ??= report;
    const masking = maskAlternatives(cleaned.transcript, (text) => profanityIn(text));
    cleaned.isMasked ||= masking !== undefined;
    cleaned.transcript = masking ?? cleaned.transcript;
    if (profanity.length === 0) break;
    cleaned.isMasked = true;
    const masked = maskSpans(cleaned.transcript, profanity);
    cleaned.transcript = masked;
    if (!options.redact_pii) break;
    const spans = detectPrivateData(masked.text, masked.language);
    const redaction = redactionOptions(options, secret);
    const again = redactTranscript(masked, spans, cleaned.entities, redaction);
    if (again.transcript.text === masked.text) break;
    cleaned.transcript = dropEmptySegments(again.transcript);
    cleaned.entities = again.entities;
    cleaned.words.push(...again.words);
    cleaned.hidden.push(...again.hidden);
  }
  return cleaned;
};

const profanityIn = (text: string) => assessContentSafety({ language: '', text, segments: [] }).profanity;

const redactPii = async (
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  { secret, tagger: model }: AnalysisDependencies,
): Promise<Omit<Cleaned, 'report' | 'isMasked'>> => {
  if (!options.redact_pii && !options.entity_detection)
    return { transcript, entities: [], words: [], hidden: [], left: {}, warnings: [] };
  const { text, language } = transcript;
  const tagger = new Tagger();
  const { tagged, warnings } = await tagOrWarn(transcript, model);
  const rules = options.redact_pii
    ? detectPrivateData(text, language, tagger)
    : detectEntities(text, language);
  const found = uniteFinds(rules, tagged);
  const entities = options.entity_detection ? toEntities(text, found, options.entity_types) : [];
  if (!options.redact_pii) return { transcript, entities, words: [], hidden: [], left: {}, warnings };
  const spans = [...withoutDecided(found, transcript), ...chosenSpans(transcript)];
  const redaction = redactionOptions(options, secret);
  return {
    ...redactTranscript(transcript, spans, entities, redaction, tagger),
    left: countLeft(spans, redaction.policies),
    warnings,
  };
};

/** Without the model the rules go on alone, and say so. */
const tagOrWarn = async (
  transcript: AnalysisTranscript,
  model: PrivateDataTagger | undefined,
): Promise<{ tagged?: TaggedData; warnings: StoredWarning[] }> => {
  if (!model) return { warnings: [] };
  try {
    return { tagged: await tagPrivateData(transcript, model), warnings: [] };
  } catch (error) {
    return { warnings: [warningOf('private_data_by_rules', { reason: messageOf(error) })] };
  }
};

const redactionOptions = (options: AnalysisOptions, secret: string): RedactionOptions => ({
  policies: resolvePolicies(options.redact_pii_policies),
  substitution: options.redact_pii_sub ?? 'hash',
  secret,
});

/** Drops segments that redaction emptied and renumbers the others from 0. */
const dropEmptySegments = (transcript: AnalysisTranscript): AnalysisTranscript => {
  const left = transcript.segments.filter((segment) => segment.text.trim() !== '');
  if (left.length === transcript.segments.length) return transcript;
  const segments = left.map((segment, id) => ({ ...segment, id }));
  return { ...transcript, segments, text: joinTexts(segments.map((segment) => segment.text)) };
};

const refreshTexts = (entities: readonly Entity[], text: string): Entity[] =>
  entities.map((entity) => ({ ...entity, text: text.slice(entity.startIndex, entity.endIndex) }));

const isEnglish = (language: string): boolean => language.toLowerCase().startsWith('en');

const languageWarnings = (language: string, options: AnalysisOptions): StoredWarning[] => {
  if (isEnglish(language)) return [];
  const warnings: StoredWarning[] = [];
  if (options.topics) warnings.push(warningOf('topics_english_only'));
  const listed = /^(?:de|fr|es|pt|it|nl)/iu.test(language);
  if (options.entity_detection || options.redact_pii) {
    warnings.push(listed ? warningOf('names_by_lists') : warningOf('names_written_only'));
  }
  if (options.content_safety) warnings.push(warningOf('safety_few_words'));
  return warnings;
};
