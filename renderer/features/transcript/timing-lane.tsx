import type { PointerEvent } from 'react';
import { useStore } from 'zustand';
import type { Subtitle } from '../../../electron/contract/exports.ts';
import { cx } from '../../lib/classes.ts';
import { type Range, subtitleTarget, type Target } from './model/borders.ts';
import { type Doc, lastAtOrBefore } from './model/document.ts';
import { type TimedWord, useReader } from './reader.tsx';
import { shareOf } from './waveform-part.tsx';

type Block = { readonly word: number; readonly text: string; readonly start: number; readonly end: number };

const wordBlocks = (doc: Doc, { from, to }: Range): Block[] => {
  const blocks: Block[] = [];
  // A word may last a few seconds, and one of another channel may begin before.
  for (let word = Math.max(0, lastAtOrBefore(doc.starts, from) - 20); word < doc.words.length; word++) {
    const each = doc.words[word];
    if (each === undefined || each.start > to) break;
    if (each.end > from) blocks.push({ word, text: each.text, start: each.start, end: each.end });
  }
  return blocks;
};

type TimingLaneProps = {
  timed: TimedWord;
  target: Target;
  range: Range;
  subtitles: readonly Subtitle[] | undefined;
};

/** The words or subtitles below the waveform; a press chooses one. The buttons above do the same by keyboard. */
export const TimingLane = ({ timed, target, range, subtitles }: TimingLaneProps) => {
  const { view, editor } = useReader();
  const doc = useStore(editor.store, (state) => state.doc);
  const transcript = useStore(editor.store, (state) => state.transcript);
  if (doc === undefined || transcript === undefined) return null;
  const blocks =
    timed.kind === 'word'
      ? wordBlocks(doc, range)
      : (subtitles ?? []).flatMap((each) => {
          const own = subtitleTarget(transcript, doc, each, range);
          return own === undefined ? [] : [{ ...own, word: own.words.start }];
        });
  const choose = (event: PointerEvent) => {
    const word = event.target instanceof HTMLElement ? event.target.dataset.block : undefined;
    if (word !== undefined) view.setState({ timed: { ...timed, word: Number(word) } });
  };
  return (
    <div aria-hidden className="relative mt-1 h-6 overflow-hidden" onPointerDown={choose}>
      {blocks
        .filter(({ start, end }) => end > range.from && start < range.to)
        .map(({ word, text, start, end }) => {
          const isOwn = word === target.words.start;
          // Neighbors make way while a border is moved over theirs.
          const from = isOwn ? target.start : start < target.start ? start : Math.max(start, target.end);
          const to = isOwn ? target.end : start < target.start ? Math.min(end, target.start) : end;
          return (
            <span
              key={word}
              data-block={word}
              className={cx(
                'absolute inset-y-0 cursor-pointer truncate rounded-[4px] border px-1 text-center font-serif text-xs leading-[22px]',
                isOwn
                  ? 'timed-own border-accent bg-accent-soft text-ink'
                  : 'border-line bg-surface text-ink-2',
              )}
              style={{
                left: `${shareOf(from, range) * 100}%`,
                right: `${(1 - shareOf(to, range)) * 100}%`,
              }}
            >
              {text}
            </span>
          );
        })}
    </div>
  );
};
