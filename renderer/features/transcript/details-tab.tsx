import { PII_POLICIES } from '../../../electron/contract/analysis.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { useI18n } from '../../app/services.tsx';
import type { I18nState } from '../../i18n/index.ts';
import { bytes, clock, dateTime, languageName, number, percent } from '../../lib/format.ts';
import { Note } from '../../ui/bits.tsx';
import { Deliveries } from './deliveries.tsx';
import { PageSource } from './page-source.tsx';

const factsOf = (transcript: Transcription, { t, locale }: I18nState): [string, string][] => {
  const { language, language_confidence: sure, file_info: file } = transcript;
  const ranged = transcript.audio_start_from > 0 || transcript.audio_end_at > 0;
  const facts: [string, string | undefined][] = [
    [t('details.model'), transcript.model_id ?? transcript.model],
    [
      t('details.language'),
      language === null
        ? undefined
        : `${languageName(language, locale)}${sure === null ? '' : ` (${percent(sure, locale)})`}`,
    ],
    [t('details.length'), clock(transcript.duration)],
    [
      t('details.range'),
      ranged
        ? `${clock(transcript.audio_start_from)} – ${transcript.audio_end_at > 0 ? clock(transcript.audio_end_at) : t('range.end')}`
        : undefined,
    ],
    [t('details.words'), number(transcript.word_count, locale)],
    [
      t('details.confidence'),
      transcript.confidence === null ? undefined : percent(transcript.confidence, locale),
    ],
    [t('details.credits'), number(transcript.credits_used, locale, 2)],
    [t('details.created'), dateTime(transcript.created_at, locale)],
    [
      t('details.completed'),
      transcript.completed_at === null ? undefined : dateTime(transcript.completed_at, locale),
    ],
    [t('details.file'), file === null ? undefined : `${file.name} · ${bytes(file.size, locale)}`],
    [
      t('details.fetched'),
      transcript.bytes_fetched > 0 ? bytes(transcript.bytes_fetched, locale) : t('details.fetched.none'),
    ],
    [
      t('details.hidden'),
      transcript.redact_pii_policies === undefined
        ? undefined
        : t('details.hidden.kinds', { count: transcript.redact_pii_policies.length }),
    ],
    ['Id', transcript.id],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
};

/** How the transcript came to be, and what the program has to say about it. */
export const DetailsTab = ({ transcript }: { transcript: Transcription }) => {
  const i18n = useI18n();
  return (
    <>
      {transcript.warnings.length > 0 && (
        <ul className="mt-4 flex flex-col gap-2">
          {transcript.warnings.map((warning) => (
            <li key={warning}>
              <Note tone="warn">{warning}</Note>
            </li>
          ))}
        </ul>
      )}
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        {factsOf(transcript, i18n).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="tnum text-end break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <PageSource transcript={transcript} />
      {transcript.redaction_report !== undefined && <Covered report={transcript.redaction_report} />}
      <Deliveries />
    </>
  );
};

/** What became of the private data in the audio, as the program heard it itself. */
const Covered = ({ report }: { report: NonNullable<Transcription['redaction_report']> }) => {
  const { t } = useI18n();
  const kinds = report.audible.map((name) => {
    const policy = PII_POLICIES.find((each) => each === name);
    return policy === undefined ? name : t(`pii.${policy}`);
  });
  return (
    <div className="mt-4">
      {report.audible.length > 0 ? (
        <Note tone="bad">{t('details.covered.audible', { kinds: kinds.join(', ') })}</Note>
      ) : (
        <Note tone={report.checked ? 'good' : 'warn'}>
          {t(report.checked ? 'details.covered' : 'details.covered.unchecked', { count: report.spans })}
        </Note>
      )}
    </div>
  );
};
