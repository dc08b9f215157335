import { useCallback, useState } from 'react';
import { ApiError } from '../../../electron/contract/client.ts';
import type { SettingsList } from '../../../electron/contract/settings.ts';
import { Page } from '../../app/page.tsx';
import { PageHead, Section } from '../../app/page-head.tsx';
import type { ScreenProps } from '../../app/screens.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import type { MessageKey } from '../../i18n/index.ts';
import { cx } from '../../lib/classes.ts';
import { errorText } from '../../lib/errors.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { hrefOf } from '../../stores/router.ts';
import { Blank, Note } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { ShortcutList } from '../palette/shortcuts.tsx';
import { AboutSection } from './about-section.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { ConnectionsSection } from './connections-section.tsx';
import { GROUPS } from './setting-groups.ts';
import { SettingRow } from './setting-row.tsx';
import { VoicesSection } from './voices-section.tsx';

const TABS: readonly { id: string; name: MessageKey }[] = [
  { id: '', name: 'settings.appearance' },
  ...GROUPS.map((group) => ({ id: group.id, name: group.name })),
  { id: 'privacy', name: 'settings.privacy' },
  { id: 'shortcuts', name: 'keys.title' },
  { id: 'about', name: 'settings.about' },
];

/** Everything that can be set, in the words of the person who sets it. */
const SettingsScreen = ({ param: section }: ScreenProps) => {
  const { t } = useI18n();
  const current = TABS.find((tab) => tab.id === section) ?? TABS[0];
  return (
    <Page>
      <PageHead title={t('nav.settings')} />
      <div className="grid max-w-[980px] grid-cols-1 gap-x-10 gap-y-5 lg:grid-cols-[180px_minmax(0,1fr)]">
        <nav aria-label={t('nav.settings')}>
          <ul className="flex flex-wrap gap-0.5 lg:flex-col">
            {TABS.map((tab) => (
              <li key={tab.id}>
                <a
                  href={hrefOf({ screen: 'settings', param: tab.id })}
                  {...(tab === current ? { 'aria-current': 'page' as const } : {})}
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
          {current?.id === 'privacy' && <VoicesSection />}
          {current?.id === 'shortcuts' && (
            <Section title={t('keys.title')}>
              <ShortcutList />
            </Section>
          )}
          {current?.id === 'about' && <AboutSection />}
          {current !== undefined && GROUPS.some((group) => group.id === current.id) && (
            <ServerSettings key={current.id} group={current.id} />
          )}
        </div>
      </div>
    </Page>
  );
};
export default SettingsScreen;

const ServerSettings = ({ group: id }: { group: string }) => {
  const { client, toasts } = useServices();
  const { t } = useI18n();
  const load = useCallback((signal: AbortSignal) => client.call('getSettings', { signal }), [client]);
  const { loaded, again, set } = useLoaded<SettingsList>(load);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const group = GROUPS.find((each) => each.id === id);
  if (group === undefined) return null;
  if (loaded.state === 'loading') return <SkeletonRows label={t('common.loading')} rows={6} />;
  if (loaded.state === 'failed') {
    const closed = loaded.error instanceof ApiError && loaded.error.status === 403;
    return (
      <Blank
        role="alert"
        title={closed ? t('settings.closed') : t('settings.failed')}
        text={closed ? t('settings.closed.text') : errorText(loaded.error, t)}
      >
        {!closed && <Button onClick={again}>{t('common.retry')}</Button>}
      </Blank>
    );
  }
  const change = async (key: string, value: SettingsList['data'][number]['value']) => {
    try {
      set(await client.call('patchSettings', { body: { [key]: value } }));
      setFaults({});
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) setFaults({ [key]: errorText(error, t) });
      else toasts.show(errorText(error, t), { tone: 'bad' });
    }
  };
  const rows = loaded.value.data;
  return (
    <>
      {loaded.value.needs_restart.length > 0 && (
        <div role="status" className="mb-4">
          <Note tone="warn">{t('settings.restart')}</Note>
        </div>
      )}
      {group.parts.map((part) => (
        <Section
          key={part.name}
          title={t(part.name)}
          {...(part.text === undefined ? {} : { text: t(part.text) })}
        >
          <div className="flex flex-col">
            {part.keys.map((key) => {
              const row = rows.find((each) => each.key === key);
              return row === undefined ? null : (
                <SettingRow
                  key={key}
                  name={key}
                  row={row}
                  fault={faults[key]}
                  onChange={(value) => void change(key, value)}
                />
              );
            })}
          </div>
        </Section>
      ))}
      {group.id === 'connections' && <ConnectionsSection />}
    </>
  );
};
