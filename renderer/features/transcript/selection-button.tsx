import { Eye, EyeOff, MoveHorizontal, UserRound } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { HIDDEN_WORD } from '../../../electron/contract/analysis.ts';
import { useI18n } from '../../hooks/services.tsx';
import { Button } from '../../ui/button.tsx';
import { adjustTimes, askForSpeaker, askToRedact, useReader, type WordSpan } from './reader.tsx';
import { selectedWords } from './selected-words.ts';

type Selected = { readonly words: WordSpan; readonly left: number; readonly top: number };

const MARGIN = 8;
const WIDTH = 480;

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

/** Hides selected words, or shows those again that are hidden while their original is stored. */
const RedactActions = ({ words, onChoose }: { words: WordSpan; onChoose: () => void }) => {
  const reader = useReader();
  const { t } = useI18n();
  const doc = useStore(reader.editor.store, (state) => state.doc);
  const source = useStore(reader.editor.store, (state) => state.transcript?.redaction_report?.source);
  const texts = doc?.words.slice(words.first, words.last + 1) ?? [];
  const hidden = texts.filter(({ text }) => HIDDEN_WORD.test(text)).length;
  const choose = (isPrivate: boolean) => () => {
    onChoose();
    askToRedact(reader, words, isPrivate);
  };
  return (
    <>
      {hidden < texts.length && (
        <SelectionAction
          icon={<EyeOff size={14} aria-hidden />}
          label={t('redact.hide')}
          run={choose(true)}
        />
      )}
      {hidden > 0 && (source === 'kept' || source === 'kept_in_use') && (
        <SelectionAction icon={<Eye size={14} aria-hidden />} label={t('redact.show')} run={choose(false)} />
      )}
    </>
  );
};

/** Beside selected words: gives them to another speaker, adjusts the times of the first, hides them. */
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
      <RedactActions words={selected.words} onChoose={() => setSelected(undefined)} />
    </div>
  );
};
