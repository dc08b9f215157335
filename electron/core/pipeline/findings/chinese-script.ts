import type { ChineseScript } from '../../../contract/recognition.ts';
import { converterTo, type ScriptConverter } from '../../analysis/chinese-script.ts';
import { createYielder } from '../../base/event-loop.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';

/** The usual script of a language; undefined if it is not Chinese. */
const usualScript = (language: string | null): ChineseScript | undefined => {
  if (language === 'yue') return 'traditional';
  return language === 'zh' ? 'simplified' : undefined;
};

const withReadings = (word: StoredWord, convert: ScriptConverter): StoredWord =>
  word.alternatives === undefined
    ? word
    : {
        ...word,
        alternatives: word.alternatives.map((other) => ({ ...other, text: convert(other.text) })),
      };

/** The converted words of a text; undefined if its words are not in it, one after the other. */
const convertedWords = (text: string, converted: string, words: readonly StoredWord[]) => {
  if (converted.length !== text.length) return undefined;
  const parts: string[] = [];
  let at = 0;
  for (const { word } of words) {
    const from = text.indexOf(word, at);
    if (from < 0) return undefined;
    at = from + word.length;
    parts.push(converted.slice(from, at));
  }
  return parts;
};

/** Converts the whole text, whose words decide between forms, and takes the words from it. */
const inScript = (segment: StoredSegment, convert: ScriptConverter): StoredSegment => {
  const text = convert(segment.text);
  const parts = convertedWords(segment.text, text, segment.words);
  const words = segment.words.map((word, index) => ({
    ...withReadings(word, convert),
    word: parts?.[index] ?? convert(word.word),
  }));
  return { ...segment, text, words };
};

/**
 * Writes Chinese segments in one script, since Whisper changes between both within a sentence. Times, confidences and the number
 * of words stay. `language` is that of segments without one.
 */
export const inOneScript = async (
  segments: readonly StoredSegment[],
  language: string | null,
  asked: ChineseScript | undefined,
): Promise<readonly StoredSegment[]> => {
  const scriptOf = (segment: StoredSegment) => {
    const usual = usualScript(segment.language ?? language);
    return usual && (asked ?? usual);
  };
  if (segments.every((segment) => scriptOf(segment) === undefined)) return segments;
  const yieldIfDue = createYielder();
  const written: StoredSegment[] = [];
  for (const segment of segments) {
    const script = scriptOf(segment);
    written.push(script === undefined ? segment : inScript(segment, await converterTo(script)));
    await yieldIfDue();
  }
  return written;
};
