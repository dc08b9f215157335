import type {
  ContentSafety,
  Entity,
  EntityType,
  PiiPolicy,
  PiiPolicyName,
  PiiSubstitution,
  Summary,
  SummaryType,
} from '../../contract/analysis.ts';

/** A recognised word: times in seconds, confidence from 0 to 1; `word` may carry its punctuation. */
export type AnalysisWord = {
  word: string;
  start: number;
  end: number;
  confidence: number;
  speaker_id?: string | null;
};

export type AnalysisSegment = {
  id: number;
  text: string;
  start: number;
  end: number;
  speaker_id: string | null;
  words: AnalysisWord[];
};

/** What every analysis takes. `text` is the segments' texts joined by `joinTexts` (see document.ts). */
export type AnalysisTranscript = {
  language: string;
  text: string;
  segments: AnalysisSegment[];
};

/** The analysis fields of the creation request, with the contract's names. */
export type AnalysisOptions = {
  entity_detection?: boolean;
  entity_types?: readonly EntityType[];
  redact_pii?: boolean;
  redact_pii_policies?: readonly PiiPolicyName[];
  redact_pii_sub?: PiiSubstitution;
  topics?: boolean;
  summarization?: boolean;
  summary_language?: string;
  summary_type?: SummaryType;
  content_safety?: boolean;
};

/** A word of the unredacted transcript that must not be heard: `segment` is the segment's id there. */
export type RedactedWord = {
  segment: number;
  word: string;
  start: number;
  end: number;
  policy: PiiPolicy;
};

/**
 * The transcript as it may be kept: redacted, profanity masked. Segments that redaction emptied are gone
 * and ids count from 0 again. `redacted_words` holds the secrets themselves: it is for the audio bleeper
 * and the re-recognition check only, and must never be stored or logged.
 */
export type RedactedTranscript = {
  text: string;
  segments: AnalysisSegment[];
  redacted_words: RedactedWord[];
  policies: PiiPolicy[];
  substitution: PiiSubstitution | null;
};

/** What a language model is given to summarise, and what it must give back: every statement with its evidence. */
export type Summarizer = {
  summarize(input: {
    sentences: { id: number; text: string; speaker_id: string | null }[];
    language: string;
    bullets: number;
  }): Promise<{ text: string; sentence_ids: number[] }[]>;
};

/** What `analyze` needs besides the transcript. */
export type AnalysisDependencies = {
  /** Key of the redaction tokens' HMAC: a secret of this installation. Needed for `redact_pii` with `hash`. */
  secret: string;
  /** A local language model for summaries, only when the user has set one up. */
  summarizer?: Summarizer;
  /** The same audio in English by Whisper's translation, when the summary is wanted in English. */
  translation?: AnalysisTranscript;
  /** Share of the work done, from 0 to 1. */
  onProgress?: (share: number) => void;
};

/** Optional parts are absent, not null, when not asked for. */
export type AnalysisResult = {
  entities?: Entity[];
  topics?: string[];
  key_phrases?: string[];
  summary?: Summary;
  content_safety?: ContentSafety;
  redacted?: RedactedTranscript;
  warnings: string[];
};
