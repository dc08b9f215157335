import { useState } from 'react';
import type { LanguageModelTrial } from '../../../electron/contract/system.ts';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatNumber } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';

export type Trial = LanguageModelTrial['data'];

type Props = { trial: Trial | undefined; onTrial: (trial: Trial | undefined) => void };

/** Asks the language model of the settings for its models and an answer, and says how that went. */
export const TryLanguageModel = ({ trial, onTrial }: Props) => {
  const { client } = useServices();
  const { t } = useI18n();
  const [isTrying, setIsTrying] = useState(false);
  const [error, setError] = useState<string>();
  const attempt = async () => {
    setIsTrying(true);
    setError(undefined);
    try {
      onTrial((await client.call('tryLanguageModel')).data);
    } catch (reason) {
      onTrial(undefined);
      setError(describeError(reason, t));
    }
    setIsTrying(false);
  };
  return (
    <div className="mb-9">
      <Button disabled={isTrying} onClick={() => void attempt()}>
        {t(isTrying ? 'llm.trying' : 'llm.try')}
      </Button>
      <div role="status" className="mt-3">
        {trial !== undefined && <TrialResult trial={trial} />}
        {error !== undefined && <Callout tone="bad">{error}</Callout>}
      </div>
    </div>
  );
};

const TrialResult = ({ trial: { models, model, seconds, problem } }: { trial: Trial }) => {
  const { t, locale } = useI18n();
  const offers =
    models.length === 0 ? undefined : (
      <span className="mt-1 block">
        {t('llm.offers', { count: models.length })}{' '}
        <span className="font-mono text-xs">{models.join(', ')}</span>
      </span>
    );
  if (problem !== null)
    return (
      <Callout tone="bad">
        {t(`llm.problem.${problem.code}`, { model })}
        {offers}
      </Callout>
    );
  return (
    <Callout tone="good">
      {seconds === null
        ? t('llm.choose')
        : t('llm.answered', { model, seconds: formatNumber(seconds, locale, 1) })}
      {offers}
    </Callout>
  );
};
