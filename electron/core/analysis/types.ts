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
import type { StoredWarning } from '../../contract/warnings.ts';

/** A recognized word: times in seconds, confidence from 0 to 1; `word` may include punctuation. */
export type AnalysisWord = {
  word: string;
  start: number;
  end: number;
  confidence: number;
  speaker_id?: string | null;
  /** Carried along: a person's decision whether a paragraph begins here. */
  startsParagraph?: boolean;
  /** Carried along, with profanity masked: how another model reads this word. */
  alternatives?: readonly { readonly text: string; readonly model: string; readonly confidence: number }[];
  /** Carried along: whether a person said who speaks. */
  speakerGiven?: boolean;
  /** Carried along: whether somebody else speaks at the same time. */
  overlap?: boolean;
  /** A person's decision: true hides it whatever it is, false lets it stay. */
  isPrivate?: boolean;
  /** Carried along: borders of subtitles that a person set. */
  subtitleStart?: number;
  subtitleEnd?: number;
};

export type AnalysisSegment = {
  id: number;
  text: string;
  start: number;
  end: number;
  speaker_id: string | null;
  /** Carried along: the audio channel in which it is said. */
  channel?: number;
  /** Carried along: the language of its text. */
  language?: string;
  words: AnalysisWord[];
};

/** The input of every analysis. `text` is `joinTexts` of the segments' texts. */
export type AnalysisTranscript = {
  language: string;
  text: string;
  segments: AnalysisSegment[];
};

/** The analysis fields of a request, with the API's names. */
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

/** A word to cover in the audio; `segment` is the id in the unredacted transcript. */
export type RedactedWord = {
  segment: number;
  word: string;
  start: number;
  end: number;
  policy: PiiPolicy;
};

/**
 * The transcript to store: redacted, profanity masked, without the segments that redaction emptied; ids count from 0.
 * `redacted_words` contains the private words for audio redaction and its check: never store or log it.
 */
export type RedactedTranscript = {
  text: string;
  segments: AnalysisSegment[];
  redacted_words: RedactedWord[];
};

/** A language model that returns statements, each with the ids of the sentences that support it. */
export type Summarizer = {
  summarize(input: {
    sentences: { id: number; text: string; speaker_id: string | null }[];
    language: string;
    bullets: number;
  }): Promise<{ text: string; sentence_ids: number[] }[]>;
};

/**
 * A model that finds names, addresses and documents in single sentences: the words that may be private, in UTF-16 units, with a
 * kind and its probability if they likely are. Rejects if it does not run.
 */
export type PrivateDataTagger = {
  tag(
    sentences: readonly string[],
  ): Promise<readonly (readonly { from: number; to: number; kind: string | null; score: number }[])[]>;
};

export type AnalysisDependencies = {
  /** HMAC key of redaction tokens, secret to this installation; used by `redact_pii` with `hash`. */
  secret: string;
  /** Finds private data beside the rules; absent where no model is, as in tests of the rules. */
  tagger?: PrivateDataTagger | undefined;
  /** The local language model, if the user has set one up. */
  summarizer?: Summarizer;
  /** Whisper's English translation of the same audio, for a summary in English. */
  translation?: AnalysisTranscript;
  /** Called with the fraction of work done, from 0 to 1. */
  onProgress?: (share: number) => void;
};

/** How many values of each policy. */
export type PolicyCounts = Partial<Record<PiiPolicy, number>>;

/** Parts that were not requested are absent, not null. */
export type AnalysisResult = {
  entities?: Entity[];
  topics?: string[];
  key_phrases?: string[];
  summary?: Summary;
  content_safety?: ContentSafety;
  private_data?: { hidden: PolicyCounts; left: PolicyCounts };
  redacted?: RedactedTranscript;
  warnings: StoredWarning[];
};
