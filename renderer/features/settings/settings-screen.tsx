import { Fragment, useState } from 'react';
import { ApiError } from '../../../electron/contract/client.ts';
import type { SettingKey, Settings, SettingsList } from '../../../electron/contract/settings.ts';
import type { LanguageModelTrial, Model } from '../../../electron/contract/system.ts';
import { describeError } from '../../api/errors.ts';
import { callQuery, invalidate } from '../../api/queries.ts';
import { isRecognizer } from '../../domain/models.ts';
import { QueryView } from '../../domain/query-view.tsx';
import { ShortcutList } from '../../domain/shortcuts-dialog.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import type { I18nState, MessageKey } from '../../i18n/index.ts';
import { cx } from '../../lib/classes.ts';
import { formatBytes, formatNumber } from '../../lib/format.ts';
import { hrefOf, type ScreenProps } from '../../stores/router.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, EmptyState, SkeletonRows } from '../../ui/feedback.tsx';
import { Page, PageHeader, Section } from '../../ui/page.tsx';
import type { Choice } from '../../ui/select.tsx';
import { AboutSection } from './about-section.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { ConnectionsSection } from './connections-section.tsx';
import { DeviceState } from './device-state.tsx';
import { SERVER, SETTING_GROUPS } from './setting-groups.ts';
import { SettingRow } from './setting-row.tsx';
import { VocabularySection } from './vocabulary-section.tsx';
import { VoicesSection } from './voices-section.tsx';

type Trial = LanguageModelTrial['data'];

type Props = { trial: Trial | undefined; onTrial: (trial: Trial | undefined) => void };

/** Asks the language model of the settings for its models and an answer, and says how that went. */
const TryLanguageModel = ({ trial, onTrial }: Props) => {
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

const modelsFor = (key: SettingKey, models: readonly Model[]): readonly Model[] | undefined => {
  if (key.startsWith('models.aliases.')) return models.filter(isRecognizer);
  if (key === 'speakers.segmentation') return models.filter((model) => model.part === 'segmentation');
  if (key === 'speakers.embedding') return models.filter((model) => model.part === 'embedding');
  return undefined;
};

type Known = {
  readonly models: readonly Model[];
  /** The models that the language model's server offers; empty while unknown. */
  readonly offered: readonly string[];
};

const DEVICES = ['auto', 'cpu', 'vulkan'] as const satisfies readonly Settings['engine.device'][];

const choicesOf = (
  key: SettingKey,
  { models, offered }: Known,
  { t, locale }: I18nState,
): readonly Choice[] => {
  if (key === 'engine.device')
    return DEVICES.map((value) => ({ value, label: t(`setting.engine.device.${value}`) }));
  if (key === 'llm.model') return offered.map((id) => ({ value: id, label: id }));
  return (modelsFor(key, models) ?? []).map((model) => ({
    value: model.id,
    label: model.installed
      ? model.name
      : `${model.name} · ${t('model.missing', { size: formatBytes(model.size, locale) })}`,
  }));
};

/** What a setting can be chosen from, the current value among it; undefined for a free text. */
const choicesFor = (
  key: SettingKey,
  value: string,
  known: Known,
  i18n: I18nState,
): readonly Choice[] | undefined => {
  const choices = choicesOf(key, known, i18n);
  if (choices.length === 0) return undefined;
  const isListed = value === '' || choices.some((choice) => choice.value === value);
  return isListed ? choices : [{ value, label: value }, ...choices];
};

/** What uses the disk, largest first. */
const DiskSection = () => {
  const { t, locale } = useI18n();
  const usage = useApi('diskUsage');
  return (
    <Section title={t('disk.title')} text={t('disk.text')}>
      <QueryView query={usage} rows={6}>
        {({ data: { total, free, parts } }) => (
          <table className="w-full max-w-[420px]">
            <tbody className="tnum">
              {parts
                .filter(({ bytes }) => bytes > 0)
                .map(({ part, bytes }) => (
                  <tr key={part} className="border-b border-line">
                    <th scope="row" className="py-2 pe-3 text-start font-normal">
                      {t(`disk.${part}`)}
                    </th>
                    <td className="py-2 text-end whitespace-nowrap">{formatBytes(bytes, locale)}</td>
                  </tr>
                ))}
              <tr>
                <th scope="row" className="py-2 pe-3 text-start font-medium">
                  {t('disk.total')}
                </th>
                <td className="py-2 text-end font-medium whitespace-nowrap">{formatBytes(total, locale)}</td>
              </tr>
              <tr>
                <th scope="row" className="py-2 pe-3 text-start font-normal text-ink-2">
                  {t('about.free')}
                </th>
                <td className="py-2 text-end whitespace-nowrap text-ink-2">{formatBytes(free, locale)}</td>
              </tr>
            </tbody>
          </table>
        )}
      </QueryView>
    </Section>
  );
};

const TABS: readonly { id: string; name: MessageKey }[] = [
  { id: '', name: 'settings.appearance' },
  { id: 'vocabulary', name: 'settings.vocabulary' },
  ...SETTING_GROUPS.filter(({ id }) => id !== SERVER),
  { id: 'privacy', name: 'settings.privacy' },
  { id: 'shortcuts', name: 'keys.title' },
  { id: 'about', name: 'settings.about' },
  { id: SERVER, name: 'settings.server' },
];

/** Preferences of the window and settings of the server, by section. */
const SettingsScreen = ({ param: section }: ScreenProps) => {
  const { t } = useI18n();
  const current = TABS.find((tab) => tab.id === section) ?? TABS[0];
  return (
    <Page>
      <PageHeader title={t('nav.settings')} />
      <div className="grid max-w-[980px] grid-cols-1 gap-x-10 gap-y-5 lg:grid-cols-[180px_minmax(0,1fr)]">
        <nav aria-label={t('nav.settings')}>
          <ul className="flex flex-wrap gap-0.5 lg:flex-col">
            {TABS.map((tab) => (
              <li
                key={tab.id}
                className={cx(tab.id === SERVER && 'lg:mt-2 lg:border-t lg:border-line lg:pt-2')}
              >
                <a
                  href={hrefOf({ screen: 'settings', param: tab.id })}
                  aria-current={tab === current ? 'page' : undefined}
                  className={cx(
                    'block rounded-ctl px-2.5 py-1.5 font-medium hover:bg-sunken hover:text-ink',
                    tab === current ? 'bg-sunken text-ink' : 'text-ink-2',
                  )}
                >
                  {t(tab.name)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="min-w-0">
          {current?.id === '' && <AppearanceSection />}
          {current?.id === 'vocabulary' && <VocabularySection />}
          {current?.id === 'privacy' && <VoicesSection />}
          {current?.id === 'shortcuts' && (
            <Section title={t('keys.title')}>
              <ShortcutList />
            </Section>
          )}
          {current?.id === 'about' && <AboutSection />}
          {current !== undefined && SETTING_GROUPS.some((group) => group.id === current.id) && (
            <ServerSettings key={current.id} group={current.id} />
          )}
        </div>
      </div>
    </Page>
  );
};
export default SettingsScreen;

const ServerSettings = ({ group: id }: { group: string }) => {
  const { client, queries, toasts } = useServices();
  const i18n = useI18n();
  const { t } = i18n;
  const answer = useApi('getSettings');
  const models = useApi('listModels', { query: { catalog: true } }).data?.data ?? [];
  const [trial, setTrial] = useState<Trial>();
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const group = SETTING_GROUPS.find((each) => each.id === id);
  if (group === undefined) return null;
  if (answer.isPending) return <SkeletonRows label={t('common.loading')} rows={6} />;
  if (answer.data === undefined) {
    const isForbidden = answer.error instanceof ApiError && answer.error.status === 403;
    return (
      <EmptyState
        role="alert"
        title={isForbidden ? t('settings.forbidden') : t('settings.failed')}
        text={isForbidden ? t('settings.forbidden.text') : describeError(answer.error, t)}
      >
        {!isForbidden && <Button onClick={() => void answer.refetch()}>{t('common.retry')}</Button>}
      </EmptyState>
    );
  }
  const change = async (key: string, value: SettingsList['data'][number]['value']) => {
    try {
      const changed = await client.call('patchSettings', { body: { [key]: value } });
      queries.setQueryData(callQuery(client, 'getSettings').queryKey, changed);
      await invalidate(queries, ['system', 'listModels']);
      setErrors({});
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) setErrors({ [key]: describeError(error, t) });
      else toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  const rows = answer.data.data;
  return (
    <>
      {answer.data.needs_restart.length > 0 && (
        <div role="status" className="mb-4">
          <Callout tone="warn">{t('settings.restart')}</Callout>
        </div>
      )}
      {group.id === SERVER && <ServerNote />}
      {group.parts.map((part) => (
        <Section
          key={part.name}
          title={t(part.name)}
          text={part.text === undefined ? undefined : t(part.text)}
        >
          <div className="flex flex-col">
            {part.keys.map((key) => {
              const row = rows.find((each) => each.key === key);
              return row === undefined ? null : (
                <Fragment key={key}>
                  <SettingRow
                    name={key}
                    row={row}
                    choices={choicesFor(
                      key,
                      String(row.value),
                      { models, offered: trial?.models ?? [] },
                      i18n,
                    )}
                    error={errors[key]}
                    onChange={(value) => void change(key, value)}
                  />
                  {key === 'engine.device' && <DeviceState />}
                </Fragment>
              );
            })}
          </div>
        </Section>
      ))}
      {group.id === 'language-model' && <TryLanguageModel trial={trial} onTrial={setTrial} />}
      {group.id === 'connections' && <ConnectionsSection />}
      {group.id === 'storage' && <DiskSection />}
    </>
  );
};

/** Whom these settings are for, and where the keys are. */
const ServerNote = () => {
  const { t } = useI18n();
  return (
    <p className="mb-5 max-w-[60ch] text-ink-2">
      {t('settings.server.text')}{' '}
      <a
        href={hrefOf({ screen: 'api' })}
        className="text-accent-text underline underline-offset-[3px] hover:no-underline"
      >
        {t('settings.server.keys')}
      </a>
    </p>
  );
};
