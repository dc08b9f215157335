import { useState } from 'react';
import type { UpdateCheck } from '../../../electron/contract/system.ts';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { useApi } from '../../hooks/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';

/** Asks the update feed, after naming whom it will connect to. Shown to the owner where a feed is set. */
export const UpdateCheckSection = () => {
  const { client } = useServices();
  const { t } = useI18n();
  const settings = useApi('getSettings').data?.data ?? [];
  const [check, setCheck] = useState<UpdateCheck['data']>();
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const feed = String(settings.find(({ key }) => key === 'updates.feed')?.value ?? '');
  if (!URL.canParse(feed)) return null;
  const ask = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      setCheck((await client.call('checkForUpdate')).data);
    } catch (reason) {
      setError(describeError(reason, t));
    }
    setIsBusy(false);
  };
  return (
    <div className="mb-6">
      <p className="mb-2 text-ink-2">{t('update.text', { host: new URL(feed).host })}</p>
      <Button disabled={isBusy} onClick={() => void ask()}>
        {t('update.check')}
      </Button>
      <div role="status" className="mt-3">
        {check !== undefined && <Result check={check} />}
        {error !== undefined && <Callout tone="bad">{error}</Callout>}
      </div>
    </div>
  );
};

const Result = ({ check: { version, latest, is_newer, url, problem } }: { check: UpdateCheck['data'] }) => {
  const { t } = useI18n();
  if (problem !== null) return <Callout tone="bad">{t(`update.problem.${problem.code}`)}</Callout>;
  if (!is_newer || url === null) return <Callout tone="good">{t('update.current', { version })}</Callout>;
  return (
    <Callout tone="plain">
      {t('update.newer', { version: latest ?? '' })}{' '}
      <a href={url} target="_blank" rel="noreferrer" className="underline underline-offset-[3px]">
        {t('update.open')}
      </a>
    </Callout>
  );
};
