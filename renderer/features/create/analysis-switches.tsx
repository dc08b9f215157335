import { useState } from 'react';
import {
  PII_GROUP_NAMES,
  PII_POLICIES,
  PII_SUBSTITUTIONS,
  type PiiPolicyName,
  SUMMARY_TYPES,
} from '../../../electron/contract/analysis.ts';
import { useI18n } from '../../app/services.tsx';
import type { MessageKey } from '../../i18n/index.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import { Chip } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DialogSection } from '../../ui/dialog.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Switch } from '../../ui/switch.tsx';

export type AnalysisFlag = 'diarize' | 'summary' | 'entities' | 'topics' | 'safety' | 'redact';
type Props = { options: TranscriptionOptions; onChange: (part: Partial<TranscriptionOptions>) => void };
type SwitchesProps = Props & {
  /** Analyses that the transcript has already. */
  existing?: ReadonlySet<AnalysisFlag>;
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
export const AnalysisSwitches = ({ options, onChange, existing }: SwitchesProps) => {
  const { t } = useI18n();
  return (
    <DialogSection title={t('create.find')}>
      <div className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-2">
        {ANALYSES.map(({ flag, name, hint }) => (
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
      {options.redact && <RedactionFields options={options} onChange={onChange} />}
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

const SUBSTITUTIONS: Readonly<
  Record<(typeof PII_SUBSTITUTIONS)[number], { name: MessageKey; sample: string }>
> = {
  hash: { name: 'redaction.hash', sample: '[PHONE_NUMBER_1f3a9c2e]' },
  mask: { name: 'redaction.mask', sample: '***-***-****' },
  remove: { name: 'redaction.remove', sample: '' },
};

const isGroup = (name: PiiPolicyName): name is (typeof PII_GROUP_NAMES)[number] =>
  PII_GROUP_NAMES.some((group) => group === name);

const RedactionFields = ({ options, onChange }: Props) => {
  const { t } = useI18n();
  const [showsEveryPolicy, setShowsEveryPolicy] = useState(() =>
    options.policies.some((name) => !isGroup(name)),
  );
  const toggle = (name: PiiPolicyName) =>
    onChange({
      policies: options.policies.includes(name)
        ? options.policies.filter((policy) => policy !== name)
        : [...options.policies, name],
    });
  const sample = SUBSTITUTIONS[options.substitution].sample;
  return (
    <div className="mt-4 border-t border-line pt-3.5">
      <div className="flex flex-wrap items-center gap-1.5">
        {PII_GROUP_NAMES.map((group) => (
          <Chip key={group} isOn={options.policies.includes(group)} onClick={() => toggle(group)}>
            {t(`redaction.${group}`)}
          </Chip>
        ))}
        <Button
          variant="ghost"
          aria-expanded={showsEveryPolicy}
          onClick={() => setShowsEveryPolicy(!showsEveryPolicy)}
        >
          {t('redaction.everyPolicy')}
        </Button>
        <span className="flex-1" />
        <SegmentedControl
          label={t('redaction.substitution')}
          value={options.substitution}
          choices={PII_SUBSTITUTIONS.map((sub) => ({ value: sub, label: t(SUBSTITUTIONS[sub].name) }))}
          onChange={(substitution) => onChange({ substitution })}
        />
      </div>
      {showsEveryPolicy && (
        <div className="mt-3 flex flex-wrap gap-1.5">
          {PII_POLICIES.map((policy) => (
            <Chip key={policy} isOn={options.policies.includes(policy)} onClick={() => toggle(policy)}>
              {t(`pii.${policy}`)}
            </Chip>
          ))}
        </div>
      )}
      {options.policies.length === 0 && <p className="mt-2.5 text-ink-2">{t('redaction.everything')}</p>}
      <p className="mt-2.5 text-ink-2">
        {t('redaction.exampleBefore')}{' '}
        <span className="font-mono text-xs text-ink">“call me on 555-014-2367”</span>{' '}
        {t('redaction.exampleAfter')}{' '}
        <span className="font-mono text-xs text-ink">{`“call me on${sample === '' ? '' : ` ${sample}`}”`}</span>
      </p>
      <div className="mt-3">
        <Switch
          label={t('redaction.audio')}
          hint={t('redaction.audio.hint')}
          checked={options.redactAudio}
          onChange={(redactAudio) => onChange({ redactAudio })}
        />
      </div>
    </div>
  );
};
