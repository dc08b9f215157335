import { useState } from 'react';
import {
  joinVocabularies,
  MAX_VOCABULARY,
  parseTerms,
  refusedTerm,
  type VocabularyEntry,
} from '../../../electron/contract/vocabulary.ts';
import { describeError } from '../../api/errors.ts';
import { useApi, useI18n } from '../../hooks/services.tsx';
import { Field } from '../../ui/field.tsx';

const MAX_ROWS = 5;

/** Terms of this job, which join those of the settings. */
export type Terms = {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** For the request; empty where it brings no terms of its own. */
  readonly vocabulary: readonly VocabularyEntry[];
  /** How many the settings have; undefined while that is unknown. */
  readonly ownCount: number | undefined;
  readonly error: string | undefined;
  /** False also while terms are typed that could not join those of the settings. */
  readonly isValid: boolean;
};

export const useTerms = (): Terms => {
  const { t } = useI18n();
  const [text, setText] = useState('');
  const answer = useApi('getVocabulary');
  const own = answer.data?.data.terms;
  const typed = parseTerms(text);
  const vocabulary = typed.length === 0 ? [] : joinVocabularies(typed, own ?? []);
  const describe = (): string | undefined => {
    if (typed.length === 0) return undefined;
    const refused = refusedTerm(typed);
    if (refused !== undefined) return t('create.terms.refused', { term: refused });
    if (vocabulary.length > MAX_VOCABULARY)
      return t('create.terms.tooMany', { count: vocabulary.length, max: MAX_VOCABULARY });
    return answer.isError ? describeError(answer.error, t) : undefined;
  };
  const error = describe();
  const isValid = typed.length === 0 || (error === undefined && own !== undefined);
  return { text, setText, vocabulary, ownCount: own?.length, error, isValid };
};

/** Names and terms that are said in these recordings. */
export const VocabularyField = ({ terms }: { terms: Terms }) => {
  const { t } = useI18n();
  const { text, ownCount = 0 } = terms;
  const hint = [
    t('create.terms.hint'),
    ...(ownCount === 0 ? [] : [t('create.terms.own', { count: ownCount })]),
  ].join(' ');
  return (
    <Field label={t('create.terms')} hint={hint} error={terms.error} className="mt-4">
      {(ids) => (
        <textarea
          {...ids}
          rows={Math.min(MAX_ROWS, text.split('\n').length)}
          value={text}
          spellCheck={false}
          placeholder="Nguyen, kubectl"
          onChange={(event) => terms.setText(event.target.value)}
          className="block w-full resize-none rounded-ctl border border-line-2 bg-raised px-2.5 py-1.5 outline-offset-0 focus-visible:outline-2"
        />
      )}
    </Field>
  );
};
