import { ArrowRight } from 'lucide-react';
import type { SuggestedTerm } from '../../../electron/contract/vocabulary.ts';
import { describeError } from '../../api/errors.ts';
import { callQuery, invalidate } from '../../api/queries.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { useApi } from '../../hooks/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Switch } from '../../ui/switch.tsx';

/** Words that were corrected twice, to add to the vocabulary. */
export const TermSuggestions = ({ onAdd }: { onAdd: (suggestion: SuggestedTerm) => Promise<void> }) => {
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
