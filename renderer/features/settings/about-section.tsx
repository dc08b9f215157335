import { useCallback } from 'react';
import type { z } from 'zod';
import type { System } from '../../../electron/contract/system.ts';
import { Section } from '../../app/page.tsx';
import { ResourceView } from '../../app/resource-view.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { formatBytes, formatNumber } from '../../lib/format.ts';
import { useResource } from '../../lib/use-resource.ts';

type SystemFacts = z.output<typeof System>['data'];

/** Versions, paths and features of this installation. */
export const AboutSection = () => {
  const { client } = useServices();
  const { t } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal) => (await client.call('system', { signal })).data,
    [client],
  );
  const { resource, reload } = useResource(load);
  return (
    <Section title={t('settings.about')} text={t('about.text')}>
      <ResourceView resource={resource} onReload={reload} rows={6}>
        {(system) => <Facts system={system} />}
      </ResourceView>
    </Section>
  );
};

const Facts = ({ system: { engine, ffmpeg, ...system } }: { system: SystemFacts }) => {
  const { t, locale } = useI18n();
  const device = system.acceleration.enabled ? system.acceleration.device : null;
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
    [t('setting.engine.acceleration'), device ?? t('about.acceleration.none')],
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
