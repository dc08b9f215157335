import { QueryView } from '../../domain/query-view.tsx';
import { useI18n } from '../../hooks/services.tsx';
import { useApi } from '../../hooks/use-api.ts';
import { formatClock, formatNumber } from '../../lib/format.ts';
import { Section } from '../../ui/page.tsx';

/** Transcripts and audio by model; credits where they have a budget. */
export const UsageSection = () => {
  const { t, locale } = useI18n();
  const answer = useApi('getUsage');
  const hasBudget = typeof answer.data?.data.credit_budget === 'number';
  return (
    <Section title={t('usage.title')} {...(hasBudget ? { text: t('usage.text') } : {})}>
      <QueryView query={answer}>
        {({ data: usage }) => (
          <table className="w-full max-w-[560px]">
            <thead>
              <tr className="text-xs text-ink-3">
                <th className="py-1.5 text-start font-medium">{t('usage.model')}</th>
                <th className="py-1.5 text-end font-medium">{t('usage.transcripts')}</th>
                <th className="py-1.5 text-end font-medium">{t('usage.audio')}</th>
                {hasBudget && <th className="py-1.5 text-end font-medium">{t('usage.credits')}</th>}
              </tr>
            </thead>
            <tbody className="tnum">
              {usage.by_model.map((row) => (
                <tr key={row.model} className="border-t border-line">
                  <td className="py-1.5">{row.model}</td>
                  <td className="py-1.5 text-end">{formatNumber(row.transcripts, locale)}</td>
                  <td className="py-1.5 text-end">{formatClock(row.seconds)}</td>
                  {hasBudget && <td className="py-1.5 text-end">{formatNumber(row.credits, locale, 2)}</td>}
                </tr>
              ))}
              {usage.credit_budget !== null && (
                <tr className="border-t border-line font-semibold">
                  <td className="py-1.5" colSpan={3}>
                    {t('usage.total')}
                  </td>
                  <td className="py-1.5 text-end">
                    {formatNumber(usage.credits_used, locale, 2)} /{' '}
                    {formatNumber(usage.credit_budget, locale, 2)}
                  </td>
                </tr>
              )}
            </tbody>
          </table>
        )}
      </QueryView>
    </Section>
  );
};
