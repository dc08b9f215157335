import { useState } from 'react';
import {
  PII_GROUP_NAMES,
  PII_POLICIES,
  PII_SUBSTITUTIONS,
  type PiiPolicyName,
  type RedactSource,
  resolvePolicies,
} from '../../electron/contract/analysis.ts';
import { useI18n } from '../hooks/services.tsx';
import type { MessageKey } from '../i18n/index.ts';
import type { TranscriptionOptions } from '../stores/prefs.ts';
import { Chip } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { SegmentedControl } from '../ui/segmented-control.tsx';
import { Switch } from '../ui/switch.tsx';

const SUBSTITUTIONS: Readonly<
  Record<(typeof PII_SUBSTITUTIONS)[number], { name: MessageKey; sample: string }>
> = {
  hash: { name: 'redaction.hash', sample: '[PHONE_NUMBER_1f3a9c2e]' },
  mask: { name: 'redaction.mask', sample: '***-***-****' },
  remove: { name: 'redaction.remove', sample: '' },
};

/** What becomes of the stored original once the text is redacted. */
export type OriginalChoice = {
  readonly value: RedactSource;
  readonly onChange: (value: RedactSource) => void;
};

type Props = {
  options: TranscriptionOptions;
  onChange: (part: Partial<TranscriptionOptions>) => void;
  original: OriginalChoice | undefined;
};

const isGroup = (name: PiiPolicyName): name is (typeof PII_GROUP_NAMES)[number] =>
  PII_GROUP_NAMES.some((group) => group === name);

/** The chosen policies and those of the chosen groups. */
const listChosen = (names: readonly PiiPolicyName[]): readonly PiiPolicyName[] =>
  names.length === 0 ? [] : resolvePolicies(names);

/** Turns a group or a policy on or off; turning off a policy of a chosen group leaves the others of that group. */
const togglePolicy = (names: readonly PiiPolicyName[], name: PiiPolicyName): readonly PiiPolicyName[] => {
  if (names.includes(name)) return names.filter((each) => each !== name);
  if (!listChosen(names).includes(name)) return [...names, name];
  return names.flatMap((each) =>
    listChosen([each]).includes(name) ? listChosen([each]).filter((policy) => policy !== name) : [each],
  );
};

/** Options of redaction: what is hidden, what takes its place, and what becomes of the audio. */
export const RedactionFields = ({ options, onChange, original }: Props) => {
  const { t } = useI18n();
  const [showsEveryPolicy, setShowsEveryPolicy] = useState(() =>
    options.policies.some((name) => !isGroup(name)),
  );
  const chosen = listChosen(options.policies);
  const toggle = (name: PiiPolicyName) => onChange({ policies: [...togglePolicy(options.policies, name)] });
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
            <Chip key={policy} isOn={chosen.includes(policy)} onClick={() => toggle(policy)}>
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
      {original !== undefined && (
        <div className="mt-3">
          <Switch
            label={t('redaction.original')}
            hint={t(
              original.value === 'keep'
                ? 'redaction.original.kept'
                : options.redactAudio
                  ? 'redaction.original.bleeped'
                  : 'redaction.original.silent',
            )}
            checked={original.value === 'delete'}
            onChange={(on) => original.onChange(on ? 'delete' : 'keep')}
          />
        </div>
      )}
    </div>
  );
};
