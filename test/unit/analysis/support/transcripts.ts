import type { AnalysisSegment, AnalysisTranscript } from '../../../../electron/core/analysis/types.ts';
import { joinTexts } from '../../../../electron/core/base/text.ts';
import type { Dialogue, Marked } from './corpus.ts';

const WORD_S = 0.35;

/** A transcript with evenly timed words from segments' texts. */
export const transcriptOf = (
  parts: readonly (string | { text: string; speaker: string | null })[],
  language = 'en',
): AnalysisTranscript => {
  let clock = 0;
  const segments: AnalysisSegment[] = parts.map((part, id) => {
    const { text, speaker } = typeof part === 'string' ? { text: part, speaker: null } : part;
    const start = clock;
    const words = text
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => {
        const from = clock;
        clock += WORD_S;
        return { word, start: from, end: clock, confidence: 0.9, speaker_id: speaker };
      });
    const end = clock;
    clock += 0.3;
    return { id, text, start, end, speaker_id: speaker, words };
  });
  return {
    language,
    text: joinTexts(parts.map((part) => (typeof part === 'string' ? part : part.text))),
    segments,
  };
};

/** A dialogue as one marked text: the marks' places are those in the transcript's text. */
export const markedDialogue = (dialogue: Dialogue): Marked => {
  let text = '';
  const marks: Marked['marks'] = [];
  for (const line of dialogue.lines) {
    if (text !== '') text += ' ';
    for (const mark of line.marks)
      marks.push({ ...mark, from: mark.from + text.length, to: mark.to + text.length });
    text += line.text;
  }
  return { text, marks };
};
