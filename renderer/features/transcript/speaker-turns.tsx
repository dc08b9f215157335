import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { Doc } from './model/document.ts';
import { useReader } from './reader.tsx';
import { useSpeakerColors } from './speaker-name.tsx';

type Turn = { readonly speaker: string; readonly start: number; readonly end: number };

const turnsOf = (doc: Doc | undefined): Turn[] => {
  const turns: Turn[] = [];
  for (const { speaker, start, end } of doc?.paragraphs ?? []) {
    const last = turns.at(-1);
    if (speaker === null) continue;
    if (last?.speaker === speaker) turns[turns.length - 1] = { ...last, end };
    else turns.push({ speaker, start, end });
  }
  return turns;
};

/** Who speaks when, as a line of the speakers' colors below the waveform of this range. */
export const SpeakerTurns = ({ from, to }: { from: number; to: number }) => {
  const { editor } = useReader();
  const doc = useStore(editor.store, (state) => state.doc);
  const colorOf = useSpeakerColors();
  const turns = useMemo(() => turnsOf(doc), [doc]);
  const background = useMemo(() => {
    const at = (seconds: number) =>
      `${((Math.min(to, Math.max(from, seconds)) - from) / (to - from)) * 100}%`;
    const stops = turns
      .filter(({ start, end }) => end > from && start < to)
      .flatMap(({ speaker, start, end }) => [
        `transparent ${at(start)}`,
        `${colorOf(speaker)} ${at(start)} ${at(end)}`,
        `transparent ${at(end)}`,
      ]);
    return stops.length === 0 ? undefined : `linear-gradient(to right, ${stops.join(', ')})`;
  }, [turns, from, to, colorOf]);
  if (background === undefined || to <= from) return null;
  return (
    <div aria-hidden data-turns className="absolute inset-x-0 -bottom-1 h-[3px]" style={{ background }} />
  );
};
