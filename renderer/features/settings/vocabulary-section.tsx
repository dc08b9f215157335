import { ArrowRight, Download, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { ApiError } from '../../../electron/contract/client.ts';
import {
  formatVocabulary,
  MAX_VOCABULARY,
  parseVocabulary,
  type SuggestedTerm,
  termOf,
  type UserVocabulary,
  vocabularyLines,
} from '../../../electron/contract/vocabulary.ts';
import { describeError } from '../../api/errors.ts';
import { saveBlob } from '../../api/export.ts';
import { callQuery, invalidate } from '../../api/queries.ts';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import type { Translate } from '../../i18n/index.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, SkeletonRows } from '../../ui/feedback.tsx';
import { Field } from '../../ui/field.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { Section } from '../../ui/page.tsx';
import { Switch } from '../../ui/switch.tsx';

/** Words that were corrected twice, to add to the vocabulary. */
const TermSuggestions = ({ onAdd }: { onAdd: (suggestion: SuggestedTerm) => Promise<void> }) => {
  const { client, queries, toasts } = useServices();
  const { t } = useI18n();
  const answer = useApi('listTermSuggestions');
  const { enabled = false, suggestions = [] } = answer.data?.data ?? {};

  const attempt = async (action: () => Promise<unknown>) => {
    try {
      await action();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
    await invalidate(queries, ['listTermSuggestions']);
  };
  const allow = (next: boolean) =>
    attempt(async () => {
      const changed = await client.call('patchTermSuggestions', { body: { enabled: next } });
      queries.setQueryData(callQuery(client, 'listTermSuggestions').queryKey, changed);
    });
  const add = (suggestion: SuggestedTerm) =>
    attempt(async () => {
      await onAdd(suggestion);
      toasts.show(t('suggestions.added', { term: suggestion.term }));
    });
  const dismiss = ({ id }: SuggestedTerm) =>
    attempt(() => client.call('dismissTermSuggestion', { params: { id } }));

  return (
    <Section title={t('suggestions.title')} text={t('suggestions.text')}>
      {answer.isError && (
        <p role="alert" className="mb-2 text-bad">
          {describeError(answer.error, t)}
        </p>
      )}
      <Switch
        label={t('suggestions.enabled')}
        hint={t('suggestions.enabled.hint')}
        checked={enabled}
        disabled={answer.data === undefined}
        onChange={(next) => void allow(next)}
      />
      {enabled && suggestions.length === 0 && <p className="mt-3 text-ink-2">{t('suggestions.none')}</p>}
      <ul className="mt-2">
        {suggestions.map((suggestion) => (
          <Suggestion
            key={suggestion.id}
            suggestion={suggestion}
            onAdd={() => void add(suggestion)}
            onDismiss={() => void dismiss(suggestion)}
          />
        ))}
      </ul>
    </Section>
  );
};

type SuggestionProps = { suggestion: SuggestedTerm; onAdd: () => void; onDismiss: () => void };

const Suggestion = ({ suggestion: { term, heard, count }, onAdd, onDismiss }: SuggestionProps) => {
  const { t } = useI18n();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2 last:border-0">
      <p className="min-w-0 flex-1 basis-56">
        <span className="tnum text-ink-2">
          {count === 2 ? t('suggestions.twice') : t('suggestions.times', { count })}
        </span>{' '}
        <span className="break-words font-serif">
          {heard} <ArrowRight size={14} aria-label="→" className="inline text-ink-3 rtl:-scale-x-100" />{' '}
          <b className="font-semibold">{term}</b>
        </span>
      </p>
      <div className="flex gap-1">
        <Button aria-label={t('suggestions.add.term', { term })} onClick={onAdd}>
          {t('suggestions.add')}
        </Button>
        <Button variant="ghost" aria-label={t('suggestions.dismiss.term', { term })} onClick={onDismiss}>
          {t('suggestions.dismiss')}
        </Button>
      </div>
    </li>
  );
};

const MIN_ROWS = 8;
const MAX_ROWS = 24;

/** A file of another program can be anything: a list of names is not longer. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Names and terms that recordings are recognized with. */
export const VocabularySection = () => {
  const { t } = useI18n();
  const answer = useApi('getVocabulary');
  if (answer.isPending) return <SkeletonRows label={t('common.loading')} rows={6} />;
  if (answer.data === undefined) {
    return (
      <EmptyState role="alert" title={t('vocabulary.failed')} text={describeError(answer.error, t)}>
        <Button onClick={() => void answer.refetch()}>{t('common.retry')}</Button>
      </EmptyState>
    );
  }
  return <VocabularyEditor saved={answer.data.data} />;
};

/** Names the first line that the server refuses. */
const describeRefusal = (error: unknown, text: string, t: Translate): string => {
  const lines = vocabularyLines(text);
  if (lines.length > MAX_VOCABULARY)
    return t('vocabulary.tooMany', { count: lines.length, max: MAX_VOCABULARY });
  const path = error instanceof ApiError ? error.details[0]?.path : undefined;
  const [, index] = /^terms\.(\d+)/.exec(path ?? '') ?? [];
  const line = index === undefined ? undefined : lines[Number(index)]?.line;
  return line === undefined ? describeError(error, t) : t('vocabulary.refused', { line });
};

const VocabularyEditor = ({ saved }: { saved: UserVocabulary }) => {
  const { client, queries } = useServices();
  const { t } = useI18n();
  const stored = formatVocabulary(saved.terms);
  /** What is not saved yet, comments and empty lines included. */
  const [draft, setDraft] = useState<string>();
  const [error, setError] = useState<string>();
  const [isSaved, setIsSaved] = useState(false);
  const saving = useRef(Promise.resolve());
  const text = draft ?? stored;

  const change = (next: string) => {
    setDraft(next);
    setIsSaved(false);
  };
  const put = async (next: string) => {
    try {
      const answer = await client.call('putVocabulary', { body: { terms: parseVocabulary(next) } });
      queries.setQueryData(callQuery(client, 'getVocabulary').queryKey, answer);
      // What was typed meanwhile stays.
      setDraft((now) => (now === next ? undefined : now));
      setError(undefined);
      setIsSaved(true);
    } catch (reason) {
      setError(describeRefusal(reason, next, t));
    }
  };
  const save = (next: string) => {
    saving.current = saving.current.then(() => put(next));
    return saving.current;
  };
  /** Pressing a suggestion's button saves what was typed first, which must not replace the list with the new term. */
  const add = async ({ id, term }: SuggestedTerm) => {
    await saving.current;
    const answer = await client.call('acceptTermSuggestion', { params: { id } });
    queries.setQueryData(callQuery(client, 'getVocabulary').queryKey, answer);
    // What could not be saved is saved later, and then replaces the list.
    const added = formatVocabulary(answer.data.terms.filter((entry) => termOf(entry).term === term));
    setDraft((now) => (now === undefined ? undefined : `${now.trimEnd()}\n${added}`));
  };
  const importFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_FILE_BYTES) {
      setError(t('vocabulary.tooLarge', { name: file.name }));
      return;
    }
    const next = await file.text();
    change(next);
    await save(next);
  };
  const count = vocabularyLines(text).length;
  return (
    <>
      <Section title={t('settings.vocabulary')} text={t('vocabulary.text')}>
        <Field label={t('vocabulary.terms')} hint={t('vocabulary.hint')} error={error}>
          {(ids) => (
            <textarea
              {...ids}
              rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.split('\n').length))}
              value={text}
              spellCheck={false}
              placeholder={'Nguyen\nkubectl = cube control; cube cuddle\nOrtega ^2'}
              onChange={(event) => change(event.target.value)}
              onBlur={() => {
                if (draft !== undefined) void save(draft);
              }}
              className="w-full resize-y rounded-ctl border border-line-2 bg-raised px-2.5 py-2 font-mono text-sm leading-relaxed"
            />
          )}
        </Field>
        <div className="mt-2 flex flex-wrap items-center gap-1">
          <p role="status" className="tnum min-w-0 flex-1 basis-40 text-xs text-ink-2">
            {t('vocabulary.count', { count, max: MAX_VOCABULARY })}
            {isSaved && ` · ${t('vocabulary.saved')}`}
          </p>
          <FileButton
            variant="ghost"
            label={t('vocabulary.import')}
            icon={<Upload size={15} aria-hidden />}
            accept=".txt,text/plain"
            onFiles={([file]) => void importFile(file)}
          />
          <Button
            variant="ghost"
            disabled={saved.terms.length === 0}
            onClick={() => saveBlob(new Blob([stored], { type: 'text/plain' }), 'vocabulary.txt')}
          >
            <Download size={15} aria-hidden />
            {t('vocabulary.export')}
          </Button>
        </div>
      </Section>
      <TermSuggestions onAdd={add} />
    </>
  );
};
