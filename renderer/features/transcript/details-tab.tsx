import { PII_POLICIES } from '../../../electron/contract/analysis.ts';
import type { Mark, Transcription } from '../../../electron/contract/transcript.ts';
import { describeError } from '../../api/errors.ts';
import { LicenseNotice } from '../../domain/model-status.tsx';
import { modelLabel } from '../../domain/models.ts';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import type { I18nState } from '../../i18n/index.ts';
import {
  formatBytes,
  formatClock,
  formatDateTime,
  formatLanguage,
  formatLanguageShares,
  formatNumber,
  formatPercent,
} from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { useReader } from './reader.tsx';
import { SideHeading, TimeLink } from './side-panel-parts.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';

/** Nobody counts credits on one's own computer, without a budget. */
const useHasBudget = (): boolean => typeof useApi('getUsage').data?.data.credit_budget === 'number';

/** "Names of people (3), Telephone numbers (1)", or undefined for none. */
const listCounts = (
  counts: Readonly<Record<string, number>> | undefined,
  { t, locale }: I18nState,
): string | undefined => {
  const parts = ([...PII_POLICIES, 'redacted'] as const).flatMap((policy) => {
    const count = counts?.[policy];
    return count === undefined ? [] : [`${t(`pii.${policy}`)} (${formatNumber(count, locale)})`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
};

const listFacts = (transcript: Transcription, hasBudget: boolean, i18n: I18nState): [string, string][] => {
  const { t, locale } = i18n;
  const { language, languages, language_confidence: confidence, file_info: file } = transcript;
  const hasRange = transcript.audio_start_from > 0 || transcript.audio_end_at > 0;
  const facts: [string, string | undefined][] = [
    [t('details.model'), modelLabel(transcript.model_id ?? transcript.model, t)],
    [
      t('details.language'),
      language === null
        ? undefined
        : languages.length > 1
          ? formatLanguageShares(languages, locale)
          : `${formatLanguage(language, locale)}${confidence === null ? '' : ` (${formatPercent(confidence, locale)})`}`,
    ],
    [t('details.length'), formatClock(transcript.duration)],
    [
      t('details.range'),
      hasRange
        ? `${formatClock(transcript.audio_start_from)} – ${transcript.audio_end_at > 0 ? formatClock(transcript.audio_end_at) : t('range.end')}`
        : undefined,
    ],
    [t('details.words'), formatNumber(transcript.word_count, locale)],
    [
      t('details.confidence'),
      transcript.confidence === null ? undefined : formatPercent(transcript.confidence, locale),
    ],
    [t('details.credits'), hasBudget ? formatNumber(transcript.credits_used, locale, 2) : undefined],
    [t('details.created'), formatDateTime(transcript.created_at, locale)],
    [
      t('details.completed'),
      transcript.completed_at === null ? undefined : formatDateTime(transcript.completed_at, locale),
    ],
    [t('details.file'), file === null ? undefined : `${file.name} · ${formatBytes(file.size, locale)}`],
    [
      t('details.fetched'),
      transcript.bytes_fetched > 0
        ? formatBytes(transcript.bytes_fetched, locale)
        : t('details.fetched.none'),
    ],
    [
      t('details.redacted'),
      listCounts(transcript.private_data?.hidden, i18n) ??
        (transcript.redact_pii_policies === undefined
          ? undefined
          : t('details.redacted.kinds', { count: transcript.redact_pii_policies.length })),
    ],
    [t('details.redacted.left'), listCounts(transcript.private_data?.left, i18n)],
    [
      t('details.original'),
      transcript.redaction_report?.source === undefined
        ? undefined
        : t(`details.original.${transcript.redaction_report.source}`),
    ],
    ['ID', transcript.id],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
};

/** Warnings, properties, source and webhook deliveries. */
export const DetailsTab = ({ transcript }: { transcript: Transcription }) => {
  const i18n = useI18n();
  const hasBudget = useHasBudget();
  return (
    <>
      {transcript.warnings.length > 0 && (
        <ul className="mt-4 flex flex-col gap-2">
          {transcript.warning_details.map((warning) => (
            <li key={warning.message}>
              <Callout tone="warn">{i18n.warningText(warning)}</Callout>
            </li>
          ))}
        </ul>
      )}
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        {listFacts(transcript, hasBudget, i18n).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="tnum text-end break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <MarkedMoments marks={transcript.marks ?? []} />
      <ModelLicense id={transcript.model_id} />
      <SourcePage transcript={transcript} />
      <MoreToHide transcript={transcript} />
      {transcript.redaction_report !== undefined && <RedactionReport report={transcript.redaction_report} />}
      <WebhookDeliveries />
    </>
  );
};

/** The moments that somebody marked while it was recorded. */
const MarkedMoments = ({ marks }: { marks: readonly Mark[] }) => {
  const { t } = useI18n();
  if (marks.length === 0) return null;
  return (
    <>
      <SideHeading>{t('marks.title')}</SideHeading>
      <ul className="flex flex-col gap-1.5">
        {marks.map(({ at, text }) => (
          <li key={at} className="flex items-baseline gap-3">
            <TimeLink seconds={at} />
            <span className="min-w-0 break-words">{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
};

/** The notice that the license of the transcript's model asks for. */
const ModelLicense = ({ id }: { id: string | null }) => {
  const models = useApi('listModels', { query: { catalog: true } }).data?.data ?? [];
  const model = models.find((each) => each.id === id);
  return model === undefined ? null : <LicenseNotice model={model} />;
};

/** Offers what was found since the text was redacted: an earlier version found less. */
const MoreToHide = ({ transcript }: { transcript: Transcription }) => {
  const { editor } = useReader();
  const { toasts, library } = useServices();
  const i18n = useI18n();
  const { t } = i18n;
  const { private_data: counts, redact_pii_policies: policies, redact_pii_sub: substitution } = transcript;
  if (substitution === undefined) return null;
  const wanted = Object.entries(counts?.left ?? {}).filter(([policy]) => policies?.includes(policy));
  if (counts !== undefined && wanted.length === 0) return null;
  const start = (job: () => Promise<void>) => () => {
    job().then(library.refresh, (error: unknown) => toasts.show(describeError(error, t), { tone: 'bad' }));
  };
  const kinds = listCounts(Object.fromEntries(wanted), i18n) ?? '';
  const names = PII_POLICIES.filter((policy) => wanted.some(([name]) => name === policy));
  return (
    <div className="mt-4">
      <Callout tone="warn">
        <p>{counts === undefined ? t('details.redacted.earlier') : t('details.redacted.more', { kinds })}</p>
        <Button
          className="mt-2"
          disabled={transcript.status === 'processing'}
          onClick={start(() =>
            counts === undefined
              ? editor.redact([], true)
              : editor.analyze({
                  redact_pii: true,
                  redact_pii_audio: true,
                  redact_pii_policies: names,
                  redact_pii_sub: substitution,
                }),
          )}
        >
          {t(counts === undefined ? 'details.redacted.look' : 'details.redacted.hideMore')}
        </Button>
      </Callout>
    </div>
  );
};

/** The result of the check of the redacted audio. */
const RedactionReport = ({ report }: { report: NonNullable<Transcription['redaction_report']> }) => {
  const { t } = useI18n();
  const kinds = report.audible.map((name) => {
    const policy = PII_POLICIES.find((each) => each === name);
    return policy === undefined ? name : t(`pii.${policy}`);
  });
  return (
    <div className="mt-4">
      {report.audible.length > 0 ? (
        <Callout tone="bad">{t('details.redactedAudio.audible', { kinds: kinds.join(', ') })}</Callout>
      ) : (
        <Callout tone={report.checked ? 'good' : 'warn'}>
          {t(report.checked ? 'details.redactedAudio' : 'details.redactedAudio.unchecked', {
            count: report.spans,
          })}
        </Callout>
      )}
    </div>
  );
};

/** The web page that the recording was found in, and its chapters; nothing for other recordings. */
const SourcePage = ({ transcript }: { transcript: Transcription }) => {
  const { t } = useI18n();
  const { source, audio_url: url } = transcript;
  if (source === undefined) return null;
  return (
    <>
      <SideHeading>{t('source.page')}</SideHeading>
      <a
        href={url}
        target="_blank"
        rel="noreferrer"
        className="text-accent-text underline underline-offset-[3px] [overflow-wrap:anywhere]"
      >
        {source.title === '' ? url : source.title}
      </a>
      {source.recordings > 1 && (
        <p className="mt-1 text-xs text-ink-2">{t('source.several', { count: source.recordings })}</p>
      )}
      {source.chapters.length > 0 && (
        <>
          <SideHeading>{t('source.chapters')}</SideHeading>
          <ol>
            {source.chapters.map(({ title, start }) => (
              <li key={`${start}-${title}`} className="flex items-baseline gap-2.5 py-1">
                <TimeLink seconds={start} />
                <span className="min-w-0 [overflow-wrap:anywhere]">{title}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
};
