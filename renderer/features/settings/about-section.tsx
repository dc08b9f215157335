import { useCallback } from 'react';
import { Section } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { bytes, number } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';

/** What this installation consists of: the first thing that anyone asks when something is wrong. */
export const AboutSection = () => {
  const { client } = useServices();
  const { t, locale } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal) => (await client.call('system', { signal })).data,
    [client],
  );
  const { loaded } = useLoaded(load);
  if (loaded.state === 'failed') {
    return (
      <p role="alert" className="text-bad">
        {errorText(loaded.error, t)}
      </p>
    );
  }
  if (loaded.state === 'loading') return null;
  const { engine, ffmpeg, ...system } = loaded.value;
  const facts: readonly (readonly [string, string])[] = [
    ['Earshot', system.version],
    [t('about.folder'), system.data_dir],
    [t('about.free'), bytes(system.disk_free, locale)],
    [
      t('about.engine'),
      engine.available
        ? `${engine.name} ${engine.version}`
        : `${t('engine.unavailable')}: ${engine.detail ?? ''}`,
    ],
    [t('about.cpu'), engine.system_info ?? '–'],
    [t('setting.engine.threads'), `${number(engine.threads, locale)} × ${number(engine.parallel, locale)}`],
    ['ffmpeg', ffmpeg.version === null ? t('about.missing') : `${ffmpeg.version} (${ffmpeg.path})`],
    [t('about.scanner'), system.scanner === 'clamav' ? 'ClamAV' : t('about.scanner.builtin')],
    ['Node', `${system.node} · ${system.platform}`],
  ];
  return (
    <Section title={t('settings.about')} text={t('about.text')}>
      <dl className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-[200px_minmax(0,1fr)] sm:gap-y-2.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
};
