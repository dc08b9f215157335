import { useEffect } from 'react';
import { useServices } from '../../hooks/services.tsx';
import { isTyping } from '../../lib/keys.ts';
import { lastAtOrBefore, nearestWordAt, paragraphOfWord } from './model/document.ts';
import { RATES, SEEK_STEP_SECONDS } from './player.ts';
import {
  adjustTimes,
  askForSpeaker,
  askToDiarize,
  closeTimes,
  editParagraph,
  type Reader,
  type WordSpan,
} from './reader.tsx';
import { selectedWords } from './selected-words.ts';
import { type History, useHistory } from './use-history.ts';
import { usePrintTranscript } from './use-print-transcript.ts';

/** Seeks by words or sentences; a sentence ends at a word with final punctuation. */
const seekToWord = (reader: Reader, direction: 1 | -1, sentence: boolean) => {
  const { doc } = reader.editor.store.getState();
  if (doc === undefined) return;
  const now = reader.player.time();
  let word = lastAtOrBefore(doc.starts, now + 0.001);
  const startsSentence = (index: number) =>
    index <= 0 || /[.!?…。！？]["”’»)]*$/.test(doc.words[index - 1]?.text ?? '');
  // Going back within a word goes to its start first.
  const late = now - (doc.words[word]?.start ?? 0) > 0.4;
  if (direction === 1) word++;
  else if (!late) word--;
  if (sentence) {
    while (word > 0 && word < doc.words.length && !startsSentence(word)) word += direction;
  }
  const target = doc.words[Math.min(Math.max(0, word), doc.words.length - 1)];
  if (target !== undefined) reader.player.seek(target.start);
};

const changeRate = (reader: Reader, direction: 1 | -1) => {
  const { rate } = reader.player.store.getState();
  const index = RATES.findIndex((each) => each >= rate);
  const next = RATES[Math.min(RATES.length - 1, Math.max(0, index + direction))];
  if (next !== undefined) reader.player.setRate(next);
};

/** Opens the paragraph at the playback position for editing. */
export const editAtPlayhead = (reader: Reader) => {
  const { doc } = reader.editor.store.getState();
  if (doc === undefined) return;
  const word = Math.max(0, lastAtOrBefore(doc.starts, reader.player.time() + 0.001));
  reader.reveal.current(word);
  editParagraph(reader, paragraphOfWord(doc, word), word);
};

/** The selected words, else those of the active paragraph. */
const chosenWords = ({ editor, view }: Reader): WordSpan | undefined => {
  const { doc } = editor.store.getState();
  const paragraph = doc?.paragraphs[view.getState().activeParagraph];
  const words = paragraph && { first: paragraph.firstWord, last: paragraph.endWord - 1 };
  const span = selectedWords() ?? words;
  return span !== undefined && span.first <= span.last ? span : undefined;
};

/** Asks for the speaker of the selected words, else of the active paragraph. */
export const askWhoSpeaks = (reader: Reader) => {
  const span = chosenWords(reader);
  if (span !== undefined) askForSpeaker(reader, span);
};

/** Asks to identify the speakers again from the selected words on, else from the active paragraph on. */
export const askToDiarizeFromHere = (reader: Reader) => {
  const span = chosenWords(reader);
  if (span !== undefined) askToDiarize(reader, span.first);
};

/** Adjusts the times of the first selected word, else of the word at the playback position. */
export const adjustTimesHere = (reader: Reader) => {
  const { doc } = reader.editor.store.getState();
  if (doc === undefined) return;
  const word = selectedWords()?.first ?? nearestWordAt(doc, reader.player.time());
  if (word >= 0) adjustTimes(reader, word);
};

const commandFor = (
  { view }: Reader,
  { undo, redo }: History,
  print: () => Promise<void>,
  event: KeyboardEvent,
): (() => void) | undefined => {
  switch (event.key.toLowerCase()) {
    case 'f':
      return () => view.setState({ panel: 'find' });
    case 'e':
      return () => view.setState({ isExporting: true });
    case 'p':
      return () => void print();
    case 'z':
      return event.shiftKey ? redo : undo;
    case 'y':
      return redo;
    default:
      return undefined;
  }
};

const actionFor = (reader: Reader, event: KeyboardEvent): (() => void) | undefined => {
  const { player, view } = reader;
  switch (event.key) {
    case ' ':
    case 'k':
      return player.toggle;
    case 'j':
      return () => player.seekBy(-SEEK_STEP_SECONDS);
    case 'l':
      return () => player.seekBy(SEEK_STEP_SECONDS);
    case 'ArrowLeft':
      return () => seekToWord(reader, -1, event.shiftKey);
    case 'ArrowRight':
      return () => seekToWord(reader, 1, event.shiftKey);
    case '[':
      return () => changeRate(reader, -1);
    case ']':
      return () => changeRate(reader, 1);
    case 'a':
      return reader.editor.store.getState().transcript?.status === 'completed'
        ? () => view.setState({ isAnalyzing: true })
        : undefined;
    case 'e':
      return () => editAtPlayhead(reader);
    case 's':
      return () => askWhoSpeaks(reader);
    case 't':
      return () => (view.getState().timed === undefined ? adjustTimesHere(reader) : closeTimes(reader));
    case 'S':
      return () => askToDiarizeFromHere(reader);
    case 'r':
      return () => view.setState({ panel: 'review', spanIndex: 0 });
    case 'Escape':
      if (view.getState().timed !== undefined) return () => closeTimes(reader);
      return view.getState().panel === 'none' ? undefined : () => view.setState({ panel: 'none' });
    default:
      return undefined;
  }
};

/** The keys that controls handle themselves (WAI-ARIA Authoring Practices). */
const OWN_KEYS: readonly (readonly [controls: string, keys: RegExp])[] = [
  ['button, a, [type="checkbox"], [type="radio"]', /^ $/],
  ['[role="slider"], [role="tab"], [type="range"], [type="radio"]', /^Arrow/],
];

/** True if the element handles the key itself; every other key stays a shortcut. */
const hasOwnKeys = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  OWN_KEYS.some(([controls, keys]) => keys.test(key) && target.closest(controls) !== null);

/** The shortcuts of the transcript screen. */
export const useReaderShortcuts = (reader: Reader) => {
  const { dialogs } = useServices();
  const history = useHistory();
  const print = usePrintTranscript();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || dialogs.store.getState().open.kind !== 'none' || event.altKey) return;
      if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null) return;
      const command = event.ctrlKey || event.metaKey;
      if (isTyping(event.target) && !(command && /^[fep]$/i.test(event.key))) return;
      if (!command && hasOwnKeys(event.target, event.key)) return;
      const run = command ? commandFor(reader, history, print, event) : actionFor(reader, event);
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [reader, dialogs, history, print]);
};
