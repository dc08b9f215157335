import { MoveHorizontal, UserRound } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../hooks/services.tsx';
import { Button } from '../../ui/button.tsx';
import { adjustTimes, askForSpeaker, useReader, type WordSpan } from './reader.tsx';
import { selectedWords } from './selected-words.ts';

type Selected = { readonly words: WordSpan; readonly left: number; readonly top: number };

const MARGIN = 8;
const WIDTH = 330;

const readSelected = (): Selected | undefined => {
  const words = selectedWords();
  if (words === undefined) return undefined;
  const box = window.getSelection()?.getRangeAt(0).getBoundingClientRect();
  if (box === undefined) return undefined;
  const left = Math.max(MARGIN, Math.min(box.left, window.innerWidth - WIDTH - MARGIN));
  return { words, left, top: Math.min(box.bottom + MARGIN, window.innerHeight - 48) };
};

type SelectionActionProps = { icon: ReactNode; label: string; run: () => void };

const SelectionAction = ({ icon, label, run }: SelectionActionProps) => (
  // Without the default, the press keeps the selection.
  <Button className="shadow-high" onMouseDown={(event) => event.preventDefault()} onClick={run}>
    {icon}
    {label}
  </Button>
);

/** Beside selected words: gives them to another speaker, or adjusts the times of the first. */
export const SelectionButton = () => {
  const reader = useReader();
  const { t } = useI18n();
  const isEditing = useStore(
    reader.view,
    ({ edited, assigned }) => edited !== undefined || assigned !== undefined,
  );
  const [selected, setSelected] = useState<Selected>();
  useEffect(() => {
    const update = () => setSelected(readSelected());
    // While the pointer is down, the selection grows under it.
    const onPointerDown = ({ target }: Event) => {
      if (!(target instanceof Element && target.closest('[data-selection]'))) setSelected(undefined);
    };
    document.addEventListener('pointerdown', onPointerDown);
    document.addEventListener('pointerup', update);
    document.addEventListener('keyup', update);
    document.addEventListener('scroll', update, true);
    return () => {
      document.removeEventListener('pointerdown', onPointerDown);
      document.removeEventListener('pointerup', update);
      document.removeEventListener('keyup', update);
      document.removeEventListener('scroll', update, true);
    };
  }, []);
  if (selected === undefined || isEditing) return null;
  return (
    <div
      className="enter fixed z-30 flex flex-wrap gap-1.5"
      style={{ left: selected.left, top: selected.top }}
      data-selection
    >
      <SelectionAction
        icon={<UserRound size={14} aria-hidden />}
        label={t('keys.speaker')}
        run={() => {
          setSelected(undefined);
          askForSpeaker(reader, selected.words);
        }}
      />
      <SelectionAction
        icon={<MoveHorizontal size={14} aria-hidden />}
        label={t('keys.times')}
        run={() => {
          setSelected(undefined);
          adjustTimes(reader, selected.words.first);
        }}
      />
    </div>
  );
};
