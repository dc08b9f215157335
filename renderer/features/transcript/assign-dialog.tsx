import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { type Choice, Select } from '../../ui/select.tsx';
import { type Doc, paragraphOfWord } from './model/document.ts';
import { spokenParts } from './model/spoken-parts.ts';
import { useReader, type WordSpan } from './reader.tsx';
import { useSpeakerColors, useSpeakerNames } from './speaker-name.tsx';
import { useHistory } from './use-history.ts';

/** Paragraphs after the first whose ends are offered. */
const MAX_PARAGRAPHS = 20;
const NEW_SPEAKER = '+';

const wordChoices = (doc: Doc, from: number, to: number): Choice[] =>
  doc.words.slice(from, to).map((word, index) => ({
    value: String(from + index),
    label: `${word.text} · ${formatClock(word.start, true)}`,
  }));

/** The words of the paragraph from `first` on, and the last words of those that follow. */
const lastWordChoices = (doc: Doc, { first, last }: WordSpan): Choice[] => {
  const index = paragraphOfWord(doc, first);
  const own = wordChoices(doc, first, doc.paragraphs[index]?.endWord ?? first + 1);
  const ends = doc.paragraphs
    .slice(index + 1, index + 1 + MAX_PARAGRAPHS)
    .flatMap(({ firstWord, endWord }) => {
      const isHere = last >= firstWord && last < endWord - 1;
      return [...(isHere ? [last] : []), ...(endWord > firstWord ? [endWord - 1] : [])];
    })
    .flatMap((word) => wordChoices(doc, word, word + 1));
  return [...own, ...ends];
};

type ChoiceOfSpeakerProps = { value: string; onChange: (speaker: string) => void };

const ChoiceOfSpeaker = ({ value, onChange }: ChoiceOfSpeakerProps) => {
  const { t } = useI18n();
  const names = useSpeakerNames();
  const colorOf = useSpeakerColors();
  const rows = [...names, [NEW_SPEAKER, t('speaker.new')] as const];
  return (
    <fieldset>
      <legend className="mb-1.5 text-xs font-medium text-ink-2">{t('assign.speaker')}</legend>
      {rows.map(([label, name]) => (
        <label key={label} className="flex h-9 items-center gap-2.5 rounded-ctl px-2 hover:bg-sunken">
          <input
            type="radio"
            name="speaker"
            value={label}
            checked={value === label}
            onChange={() => onChange(label)}
            className="accent-accent"
          />
          {label !== NEW_SPEAKER && (
            <i aria-hidden className="size-2 rounded-full" style={{ background: colorOf(label) }} />
          )}
          <span className="truncate">{name}</span>
        </label>
      ))}
    </fieldset>
  );
};

/** Gives chosen words to another speaker; they are those of a paragraph or of a selection at first. */
export const AssignDialog = ({ doc, span }: { doc: Doc; span: WordSpan }) => {
  const { editor, view } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  const history = useHistory();
  const before = doc.segments[doc.words[span.first]?.segment ?? -1]?.speaker ?? null;
  const speakers = useStore(editor.store, (state) => state.transcript?.speakers);
  const [speaker, setSpeaker] = useState(
    () => Object.keys(speakers ?? {}).find((label) => label !== before) ?? NEW_SPEAKER,
  );
  const [range, setRange] = useState(span);
  const paragraph = doc.paragraphs[paragraphOfWord(doc, span.first)];
  const firsts = useMemo(
    () => wordChoices(doc, paragraph?.firstWord ?? span.first, paragraph?.endWord ?? span.first + 1),
    [doc, paragraph, span],
  );
  const lasts = useMemo(() => lastWordChoices(doc, range), [doc, range]);
  const close = () => view.setState({ assigned: undefined });

  const assign = async () => {
    close();
    const parts = spokenParts(doc, range.first, range.last);
    const from = new Set(parts.map((part) => part.speaker));
    const [only] = from;
    const send = () => {
      if (speaker !== NEW_SPEAKER) return editor.assignSpeaker(parts, speaker);
      return from.size === 1 && only != null
        ? editor.splitSpeaker(only, parts)
        : editor.assignNewSpeaker(parts);
    };
    try {
      history.offerUndo(t('assign.done'), await send());
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  return (
    <Dialog
      title={t('assign.title')}
      closeLabel={t('common.close')}
      onClose={close}
      focusesControl
      width={420}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void assign();
        }}
      >
        <ChoiceOfSpeaker value={speaker} onChange={setSpeaker} />
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          <Field label={t('assign.first')}>
            {(ids) => (
              <Select
                {...ids}
                value={String(range.first)}
                choices={firsts}
                onChange={(first) =>
                  setRange(({ last }) => ({ first: Number(first), last: Math.max(last, Number(first)) }))
                }
              />
            )}
          </Field>
          <Field label={t('assign.last')}>
            {(ids) => (
              <Select
                {...ids}
                value={String(range.last)}
                choices={lasts}
                onChange={(last) => setRange(({ first }) => ({ first, last: Number(last) }))}
              />
            )}
          </Field>
        </div>
        <Button type="submit" variant="primary" className="mt-4">
          {t('assign.submit')}
        </Button>
      </form>
    </Dialog>
  );
};
