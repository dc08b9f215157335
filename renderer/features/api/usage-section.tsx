import { useCallback } from 'react';
import { LoadedPart } from '../../app/loaded-part.tsx';
import { Section } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { clock, number } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';

/** What was transcribed so far, by model. */
export const UsageSection = () => {
  const { client } = useServices();
  const { t, locale } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal) => (await client.call('getUsage', { signal })).data,
    [client],
  );
  const { loaded, again } = useLoaded(load);
  return (
    <Section title={t('usage.title')} text={t('usage.text')}>
      <LoadedPart loaded={loaded} again={again}>
        {(usage) => (
          <table className="w-full max-w-[560px]">
            <thead>
              <tr className="text-xs text-ink-3">
                <th className="py-1.5 text-start font-medium">{t('usage.model')}</th>
                <th className="py-1.5 text-end font-medium">{t('usage.transcripts')}</th>
                <th className="py-1.5 text-end font-medium">{t('usage.audio')}</th>
                <th className="py-1.5 text-end font-medium">{t('usage.credits')}</th>
              </tr>
            </thead>
            <tbody className="tnum">
              {usage.by_model.map((row) => (
                <tr key={row.model} className="border-t border-line">
                  <td className="py-1.5">{row.model}</td>
                  <td className="py-1.5 text-end">{number(row.transcripts, locale)}</td>
                  <td className="py-1.5 text-end">{clock(row.seconds)}</td>
                  <td className="py-1.5 text-end">{number(row.credits, locale, 2)}</td>
                </tr>
              ))}
              <tr className="border-t border-line font-semibold">
                <td className="py-1.5" colSpan={3}>
                  {t('usage.total')}
                </td>
                <td className="py-1.5 text-end">
                  {number(usage.credits_used, locale, 2)}
                  {usage.credit_budget !== null && ` / ${number(usage.credit_budget, locale, 2)}`}
                </td>
              </tr>
            </tbody>
          </table>
        )}
      </LoadedPart>
    </Section>
  );
};
