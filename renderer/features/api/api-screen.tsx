import { BookOpen, Compass } from 'lucide-react';
import { useState } from 'react';
import type { RecentDelivery } from '../../../electron/contract/webhooks.ts';
import { LogSection } from '../../domain/log-section.tsx';
import { QueryView } from '../../domain/query-view.tsx';
import { DeliveryAttempts, DeliveryStateTag } from '../../domain/webhook-delivery.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatClock, formatDateTime, formatNumber } from '../../lib/format.ts';
import { hrefOf } from '../../stores/router.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Page, PageHeader, Section } from '../../ui/page.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { KeysSection } from './keys-section.tsx';

type Snippet = { readonly language: 'curl' | 'JavaScript' | 'Python'; readonly code: string };

const EXAMPLE_AUDIO_URL = 'https://example.com/interview.mp3';

/** Examples of a transcription for this server's address. */
const createSnippets = (baseUrl: string): Snippet[] => [
  {
    language: 'curl',
    code: `curl ${baseUrl}/v1/transcript \\
  -H "Authorization: Bearer $EARSHOT_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"audio_url": "${EXAMPLE_AUDIO_URL}", "diarize": true, "wait_until_complete": true}'`,
  },
  {
    language: 'JavaScript',
    code: `const response = await fetch('${baseUrl}/v1/transcript', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.EARSHOT_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    audio_url: '${EXAMPLE_AUDIO_URL}',
    diarize: true,
    wait_until_complete: true,
  }),
});
const { text, segments } = await response.json();`,
  },
  {
    language: 'Python',
    code: `import os, requests

response = requests.post(
    "${baseUrl}/v1/transcript",
    headers={"Authorization": f"Bearer {os.environ['EARSHOT_API_KEY']}"},
    json={
        "audio_url": "${EXAMPLE_AUDIO_URL}",
        "diarize": True,
        "wait_until_complete": True,
    },
)
print(response.json()["text"])`,
  },
];

/** The latest webhook deliveries of all transcripts, each with a link to its transcript. */
const WebhooksSection = () => {
  const { t } = useI18n();
  const deliveries = useApi('recentDeliveries');
  return (
    <LogSection
      title={t('webhooks.title')}
      text={t('webhooks.text')}
      empty={t('webhooks.none')}
      query={deliveries}
    >
      {(rows) => (
        <ul className="rounded-box border border-line px-3">
          {rows.map((row) => (
            <DeliveryRow key={row.id} delivery={row} />
          ))}
        </ul>
      )}
    </LogSection>
  );
};

const DeliveryRow = ({ delivery }: { delivery: RecentDelivery }) => {
  const { locale } = useI18n();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2 last:border-0">
      <DeliveryStateTag delivery={delivery} />
      <a
        href={hrefOf({ screen: 'transcript', param: delivery.transcript_id })}
        className="min-w-0 max-w-full truncate text-accent-text underline underline-offset-[3px]"
      >
        {delivery.transcript_name}
      </a>
      <span className="min-w-0 flex-1 truncate font-mono text-2xs text-ink-2">{delivery.url}</span>
      <span className="tnum text-xs text-ink-2">
        <DeliveryAttempts delivery={delivery} />
      </span>
      <span className="tnum text-xs text-ink-2">{formatDateTime(delivery.created_at, locale)}</span>
    </li>
  );
};

/** Transcripts and audio by model; credits where they have a budget. */
const UsageSection = () => {
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

const MAX_SHOWN = 200;

/** Several requests may have arrived in the same millisecond. */
const number = <T extends { readonly time: string }>(rows: readonly T[]) =>
  rows.slice(0, MAX_SHOWN).map((row, index) => ({ ...row, id: `${row.time}-${index}` }));

/** The latest requests to the API. */
const RequestsSection = () => {
  const { t, locale } = useI18n();
  const requests = useApi('listRequests');
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  return (
    <LogSection
      title={t('requests.title')}
      text={t('requests.text')}
      empty={t('requests.none')}
      query={requests}
    >
      {(rows) => (
        <ScrollRegion
          label={t('requests.title')}
          className="max-h-[420px] overflow-auto rounded-box border border-line"
        >
          <table className="w-full font-mono text-2xs">
            <thead className="sr-only">
              <tr>
                <th>{t('requests.time')}</th>
                <th>{t('requests.method')}</th>
                <th>{t('requests.route')}</th>
                <th>{t('requests.status')}</th>
                <th>{t('requests.duration')}</th>
                <th>{t('requests.key')}</th>
              </tr>
            </thead>
            <tbody className="tnum">
              {number(rows).map((row) => (
                <tr key={row.id} className="border-b border-line last:border-0">
                  <td className="px-3 py-1.5 whitespace-nowrap text-ink-2">
                    {time.format(new Date(row.time))}
                  </td>
                  <td className="py-1.5">{row.method}</td>
                  <td className="max-w-[360px] truncate px-3 py-1.5">{row.route}</td>
                  <td className={cx('py-1.5', row.status >= 400 ? 'text-bad' : 'text-good')}>{row.status}</td>
                  <td className="px-3 py-1.5 text-end whitespace-nowrap text-ink-2">
                    {formatNumber(row.milliseconds, locale)} ms
                  </td>
                  <td className="px-3 py-1.5 text-ink-2">{row.key_prefix ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </LogSection>
  );
};

/** Documentation, keys, examples, usage and logs for programs that call the API. */
const ApiScreen = () => {
  const { baseUrl } = useServices();
  const { t } = useI18n();
  const [language, setLanguage] = useState<Snippet['language']>('curl');
  const examples = createSnippets(baseUrl);
  const copyLabels = { copyLabel: t('common.copy'), copiedLabel: t('common.copied') };
  return (
    <Page>
      <div className="max-w-[880px]">
        <PageHeader title={t('nav.api')} text={t('api.text')}>
          <Button asChild>
            <a href={`${baseUrl}/docs/guide`} target="_blank" rel="noreferrer">
              <Compass size={15} strokeWidth={1.75} aria-hidden />
              {t('api.guide')}
            </a>
          </Button>
          <Button asChild>
            <a href={`${baseUrl}/docs`} target="_blank" rel="noreferrer">
              <BookOpen size={15} strokeWidth={1.75} aria-hidden />
              {t('api.docs')}
            </a>
          </Button>
        </PageHeader>
        <Section title={t('api.address')} text={t('api.address.text')}>
          <CodeBlock label={t('api.address')} code={`${baseUrl}/v1`} {...copyLabels} />
        </Section>
        <KeysSection />
        <Section
          title={t('api.snippets')}
          text={t('api.snippets.text')}
          action={
            <SegmentedControl<Snippet['language']>
              label={t('api.snippets')}
              value={language}
              choices={examples.map((each) => ({ value: each.language, label: each.language }))}
              onChange={setLanguage}
            />
          }
        >
          <CodeBlock
            label={language}
            code={examples.find((each) => each.language === language)?.code ?? ''}
            {...copyLabels}
          />
        </Section>
        <UsageSection />
        <WebhooksSection />
        <RequestsSection />
      </div>
    </Page>
  );
};
export default ApiScreen;
