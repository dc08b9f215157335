import type { Model } from '../../../electron/contract/system.ts';
import { listVerifiers } from '../../domain/model-choice.ts';
import { useI18n } from '../../hooks/services.tsx';
import { formatDuration } from '../../lib/format.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';

/** A Select takes no empty value. */
const NONE = 'none';

type Props = {
  models: readonly Model[];
  options: TranscriptionOptions;
  /** Length of the recording; 0 while unknown. */
  seconds: number;
  onChange: (part: Partial<TranscriptionOptions>) => void;
};

/** The choice of a second model that recognizes the recording again; absent while there is none. */
export const VerifyField = ({ models, options, seconds, onChange }: Props) => {
  const { t, locale } = useI18n();
  const verifiers = listVerifiers(models, options.model, options.language);
  if (verifiers.length === 0) return null;
  const chosen = verifiers.find(({ id }) => id === options.verifyWith);
  const hintOf = (model: Model): string => {
    const name = model.name;
    if (seconds === 0 || model.speed === null || model.speed === 0) return t('create.verify.hint', { name });
    const time = formatDuration(seconds / model.speed, locale);
    return t('create.verify.hintTime', { name, time });
  };
  return (
    <Field
      className="mt-4"
      label={t('create.verify')}
      hint={chosen === undefined ? undefined : hintOf(chosen)}
    >
      {(ids) => (
        <Select
          {...ids}
          value={chosen?.id ?? NONE}
          choices={[
            { value: NONE, label: t('create.verify.none') },
            ...verifiers.map((model) => ({ value: model.id, label: model.name })),
          ]}
          onChange={(value) => onChange({ verifyWith: value === NONE ? '' : value })}
        />
      )}
    </Field>
  );
};
