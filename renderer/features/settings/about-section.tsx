import { useState } from 'react';
import type { z } from 'zod';
import type { System, UpdateCheck } from '../../../electron/contract/system.ts';
import { describeError } from '../../api/errors.ts';
import { QueryView } from '../../domain/query-view.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { formatBytes, formatNumber } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { Section } from '../../ui/page.tsx';
import { deviceStateText } from './device-state.tsx';

/** Asks the update feed, after naming whom it will connect to. Shown to the owner where a feed is set. */
const UpdateCheckSection = () => {
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

type SystemFacts = z.output<typeof System>['data'];

/** Versions, paths and features of this installation. */
export const AboutSection = () => {
  const { t } = useI18n();
  const answer = useApi('system');
  return (
    <Section title={t('settings.about')} text={t('about.text')}>
      <UpdateCheckSection />
      <QueryView query={answer} rows={6}>
        {({ data: system }) => <Facts system={system} />}
      </QueryView>
    </Section>
  );
};

const Facts = ({ system: { engine, ffmpeg, ...system } }: { system: SystemFacts }) => {
  const i18n = useI18n();
  const { t, locale } = i18n;
  const facts: readonly (readonly [string, string])[] = [
    ['Earshot', system.version],
    [t('about.folder'), system.data_dir],
    [t('about.free'), formatBytes(system.disk_free, locale)],
    [
      t('about.engine'),
      engine.available
        ? `${engine.name} ${engine.version}`
        : `${t('engine.unavailable')}: ${engine.detail ?? ''}`,
    ],
    [t('about.cpu'), engine.system_info ?? '–'],
    [
      t('setting.engine.threads'),
      `${formatNumber(engine.threads, locale)} × ${formatNumber(engine.parallel, locale)}`,
    ],
    [t('setting.engine.device'), deviceStateText(system.acceleration, i18n)],
    ['ffmpeg', ffmpeg.version === null ? t('about.missing') : `${ffmpeg.version} (${ffmpeg.path})`],
    [t('about.scanner'), system.scanner === 'clamav' ? 'ClamAV' : t('about.scanner.builtin')],
    ['Node', `${system.node} · ${system.platform}`],
  ];
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-[200px_minmax(0,1fr)] sm:gap-y-2.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-2">{name}</dt>
          <dd className="mb-2 break-words sm:mb-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
};
