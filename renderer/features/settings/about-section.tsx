import type { z } from 'zod';
import type { System } from '../../../electron/contract/system.ts';
import { QueryView } from '../../domain/query-view.tsx';
import { useI18n } from '../../hooks/services.tsx';
import { useApi } from '../../hooks/use-api.ts';
import { formatBytes, formatNumber } from '../../lib/format.ts';
import { Section } from '../../ui/page.tsx';
import { deviceStateText } from './device-state.tsx';
import { UpdateCheckSection } from './update-check.tsx';

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
