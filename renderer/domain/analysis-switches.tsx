import { SUMMARY_TYPES } from '../../electron/contract/analysis.ts';
import { useI18n } from '../hooks/services.tsx';
import type { MessageKey } from '../i18n/index.ts';
import type { TranscriptionOptions } from '../stores/prefs.ts';
import { DialogSection } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { SegmentedControl } from '../ui/segmented-control.tsx';
import { Select } from '../ui/select.tsx';
import { Switch } from '../ui/switch.tsx';
import { type OriginalChoice, RedactionFields } from './redaction-fields.tsx';

export type AnalysisFlag = 'diarize' | 'summary' | 'entities' | 'topics' | 'safety' | 'redact';
type Props = { options: TranscriptionOptions; onChange: (part: Partial<TranscriptionOptions>) => void };
type SwitchesProps = Props & {
  /** Analyses that the transcript has already. */
  existing?: ReadonlySet<AnalysisFlag>;
  /** Whether each channel is a speaker already. */
  hasChannels?: boolean;
  /** What becomes of the stored original after a redaction; undefined if there is none. */
  original: OriginalChoice | undefined;
};

const ANALYSES: readonly { flag: AnalysisFlag; name: MessageKey; hint: MessageKey }[] = [
  { flag: 'diarize', name: 'analysis.speakers', hint: 'analysis.speakers.hint' },
  { flag: 'summary', name: 'analysis.summary', hint: 'analysis.summary.hint' },
  { flag: 'entities', name: 'analysis.names', hint: 'analysis.names.hint' },
  { flag: 'topics', name: 'analysis.topics', hint: 'analysis.topics.hint' },
  { flag: 'safety', name: 'analysis.safety', hint: 'analysis.safety.hint' },
  { flag: 'redact', name: 'analysis.private', hint: 'analysis.private.hint' },
];

/** Switches and options for the analyses. */
export const AnalysisSwitches = ({
  options,
  onChange,
  existing,
  hasChannels = false,
  original,
}: SwitchesProps) => {
  const { t } = useI18n();
  return (
    <DialogSection title={t(existing === undefined ? 'create.find' : 'analyze.choose')}>
      <div className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-2">
        {ANALYSES.filter(({ flag }) => flag !== 'diarize' || !hasChannels).map(({ flag, name, hint }) => (
          <Switch
            key={flag}
            label={t(name)}
            hint={existing?.has(flag) === true ? t('analyze.exists') : t(hint)}
            checked={options[flag]}
            onChange={(on) => onChange({ [flag]: on })}
          />
        ))}
      </div>
      {options.summary && <SummaryTypeField options={options} onChange={onChange} />}
      {options.redact && <RedactionFields options={options} onChange={onChange} original={original} />}
    </DialogSection>
  );
};

const SUMMARY_NAMES: Readonly<Record<(typeof SUMMARY_TYPES)[number], MessageKey>> = {
  bullets: 'summary.bullets',
  paragraphs: 'summary.paragraphs',
  markdown: 'summary.markdown',
};

const SummaryTypeField = ({ options, onChange }: Props) => {
  const { t } = useI18n();
  return (
    <div className="mt-4 flex flex-wrap items-center gap-3 border-t border-line pt-3.5">
      <span className="text-ink-2">{t('analysis.summary')}</span>
      <span className="flex-1" />
      <SegmentedControl
        label={t('summary.type')}
        value={options.summaryType}
        choices={SUMMARY_TYPES.map((type) => ({ value: type, label: t(SUMMARY_NAMES[type]) }))}
        onChange={(summaryType) => onChange({ summaryType })}
      />
    </div>
  );
};

const MAX_SPEAKERS = 10;

type SpeakerCountProps = {
  options: Pick<TranscriptionOptions, 'speakers'>;
  onChange: (part: Pick<TranscriptionOptions, 'speakers'> & { diarize?: true }) => void;
};

/** The expected number of speakers. */
export const SpeakerCount = ({ options, onChange }: SpeakerCountProps) => {
  const { t } = useI18n();
  const counts = [
    { value: 'auto', label: t('create.auto') },
    ...Array.from({ length: MAX_SPEAKERS }, (_, index) => ({
      value: String(index + 1),
      label: t('create.speakerCount', { count: index + 1 }),
    })),
  ];
  return (
    <Field label={t('create.speakers')}>
      {(ids) => (
        <Select
          {...ids}
          value={options.speakers === null ? 'auto' : String(options.speakers)}
          choices={counts}
          onChange={(value) =>
            onChange(value === 'auto' ? { speakers: null } : { speakers: Number(value), diarize: true })
          }
        />
      )}
    </Field>
  );
};
