import { CornerDownLeft, Merge } from 'lucide-react';
import { createContext, type FocusEvent, type KeyboardEvent, useContext } from 'react';
import { createPortal } from 'react-dom';
import { useI18n } from '../../hooks/services.tsx';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import type { Doc, Paragraph } from './model/document.ts';
import { SEEK_STEP_SECONDS } from './player.ts';
import { useReader } from './reader.tsx';
import { useParagraphEdit } from './use-paragraph-edit.ts';

/** A contenteditable element rather than a textarea, because it keeps the segments apart. */
const textboxProps = (label: string) =>
  ({ role: 'textbox', tabIndex: 0, 'aria-multiline': true, 'aria-label': label }) as const;

/** Where the text view shows the buttons and keys of the editor: beside the text, which they neither cover nor move. */
export const EditHintsPlace = createContext<HTMLElement | null>(null);

type Props = { doc: Doc; index: number; paragraph: Paragraph };

/** Edits a paragraph. React does not render while the user types. */
export const ParagraphEditor = (props: Props) => {
  const { player } = useReader();
  const { t } = useI18n();
  const place = useContext(EditHintsPlace);
  const { root, saveSoon, finish, finishByKey, split, canMerge, merge, mergeAtStart } =
    useParagraphEdit(props);

  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    // While an input method composes, Enter chooses a word.
    if (event.nativeEvent.isComposing) return;
    const command = event.ctrlKey || event.metaKey;
    const isInText = event.target === root.current;
    if (event.key === 'Escape') finishByKey();
    else if (isInText && event.key === 'Enter') (event.shiftKey ? split : finishByKey)();
    else if (isInText && event.key === 'Backspace' && mergeAtStart()) return event.preventDefault();
    else if (command && event.key === ' ') player.toggle();
    else if (command && event.key.toLowerCase() === 'j') player.seekBy(-SEEK_STEP_SECONDS);
    else return;
    event.preventDefault();
  };
  // The keys of the text and its buttons; moving between them does not end editing.
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget) && place?.contains(relatedTarget) !== true) finish();
  };
  return (
    <div {...{ onKeyDown: onKey, onBlur }}>
      <div
        {...textboxProps(t('edit.field'))}
        ref={root}
        className="edit"
        contentEditable="plaintext-only"
        suppressContentEditableWarning
        spellCheck
        onInput={() => saveSoon()}
      />
      {place !== null &&
        createPortal(<EditHints onSplit={split} onMerge={canMerge ? merge : undefined} />, place)}
    </div>
  );
};

type HintProps = { onSplit: () => void; onMerge: (() => unknown) | undefined };

/** The buttons and keys of the editor. A press keeps the caret in the text. */
const EditHints = ({ onSplit, onMerge }: HintProps) => {
  const { t } = useI18n();
  return (
    <div className="pointer-events-auto flex flex-wrap items-center gap-x-3 gap-y-1 rounded-box border border-line bg-raised px-2.5 py-0.5 text-xs text-ink-3 shadow-high">
      <Button
        variant="ghost"
        className="-ms-2 !h-7 text-xs"
        onPointerDown={(event) => event.preventDefault()}
        onClick={onSplit}
      >
        <CornerDownLeft size={13} aria-hidden />
        {t('edit.split')} <Kbd>⇧ ↵</Kbd>
      </Button>
      {onMerge !== undefined && (
        <Button
          variant="ghost"
          className="!h-7 text-xs"
          onPointerDown={(event) => event.preventDefault()}
          onClick={onMerge}
        >
          <Merge size={13} aria-hidden />
          {t('edit.merge')} <Kbd>⌫</Kbd>
        </Button>
      )}
      <span className="max-lg:hidden">
        <Kbd>Ctrl Space</Kbd> {t('edit.keyPlay')}
      </span>
      <span className="max-xl:hidden">
        <Kbd>Ctrl J</Kbd> {t('edit.keyBack')}
      </span>
      <span>
        <Kbd>↵</Kbd> {t('edit.keyDone')}
      </span>
    </div>
  );
};
