import { useState } from 'react';
import { describeError } from '../../api/errors.ts';
import { SpeakerCount } from '../../domain/analysis-switches.tsx';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { Field } from '../../ui/field.tsx';
import { type Choice, Select } from '../../ui/select.tsx';
import { type Doc, paragraphOfWord } from './model/document.ts';
import { useReader } from './reader.tsx';

/** Paragraphs before and after whose beginnings are offered. */
const NEIGHBORS = 10;
const SHOWN_WORDS = 5;

const placeOf = (doc: Doc, word: number): Choice => {
  const words = doc.words.slice(word, word + SHOWN_WORDS).map(({ text }) => text);
  return { value: String(word), label: `${formatClock(doc.words[word]?.start ?? 0)} · ${words.join(' ')}…` };
};

/** The word itself, and the beginnings of the paragraphs around it. */
const placesAround = (doc: Doc, word: number): Choice[] => {
  const at = paragraphOfWord(doc, word);
  const starts = doc.paragraphs
    .slice(Math.max(0, at - NEIGHBORS), at + NEIGHBORS + 1)
    .map(({ firstWord }) => firstWord);
  return [...new Set([...starts, word])]
    .filter((first) => first > 0)
    .toSorted((a, b) => a - b)
    .map((first) => placeOf(doc, first));
};

/** Identifies the speakers again from a place on, with as many as the user knows of. */
export const DiarizeDialog = ({ doc, from }: { doc: Doc; from: number }) => {
  const { editor, view } = useReader();
  const { library } = useServices();
  const { t } = useI18n();
  const [word, setWord] = useState(from);
  const [speakers, setSpeakers] = useState<number | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => view.setState({ diarizedFrom: undefined });
  const submit = async () => {
    setIsSending(true);
    setError(undefined);
    try {
      await editor.analyze({
        diarize: true,
        ...(word > 0 ? { diarize_from: doc.words[word]?.start ?? 0 } : {}),
        ...(speakers === null ? {} : { speakers_expected: speakers }),
      });
      library.refresh();
      close();
    } catch (reason) {
      setError(reason);
      setIsSending(false);
    }
  };
  return (
    <Dialog
      title={t('diarize.title')}
      description={t('diarize.text')}
      closeLabel={t('common.close')}
      onClose={close}
      focusesControl
      width={420}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="grid gap-3">
          <Field label={t('diarize.from')}>
            {(ids) => (
              <Select
                {...ids}
                value={String(word)}
                choices={[{ value: '0', label: t('diarize.beginning') }, ...placesAround(doc, from)]}
                onChange={(next) => setWord(Number(next))}
              />
            )}
          </Field>
          <SpeakerCount options={{ speakers }} onChange={(next) => setSpeakers(next.speakers)} />
        </div>
        {error !== undefined && (
          <div className="mt-3" role="alert">
            <Callout tone="bad">{describeError(error, t)}</Callout>
          </div>
        )}
        <Button type="submit" variant="primary" className="mt-4" disabled={isSending}>
          {t('diarize.start')}
        </Button>
      </form>
    </Dialog>
  );
};
