import { RotateCcw } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { SettingKey, SettingsList } from '../../../electron/contract/settings.ts';
import { useI18n } from '../../hooks/services.tsx';
import { Tag } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { type Choice, Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { IN_GIGABYTES } from './setting-groups.ts';

type Row = SettingsList['data'][number];
type Value = Row['value'];

const GIB = 1024 ** 3;

const formatValue = (name: SettingKey, value: Value): string => {
  if (Array.isArray(value)) return value.join('\n');
  if (typeof value === 'number' && IN_GIGABYTES.has(name))
    return String(Math.round((value / GIB) * 100) / 100);
  return String(value);
};

/** Parses a text to the type of `like`; undefined if it is not valid. */
const parseValue = (name: SettingKey, reference: Value, text: string): Value | undefined => {
  if (Array.isArray(reference)) {
    const lines = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    if (typeof reference[0] !== 'number') return lines;
    const numbers = lines.map(Number);
    return numbers.every(Number.isFinite) ? numbers : undefined;
  }
  if (typeof reference !== 'number') return text.trim();
  const number = Number(text.trim().replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(number)) return undefined;
  return IN_GIGABYTES.has(name) ? Math.round(number * GIB) : number;
};

type Props = {
  name: SettingKey;
  row: Row;
  /** What the setting is chosen from; undefined for a free text. */
  choices?: readonly Choice[] | undefined;
  error: string | undefined;
  onChange: (value: Value) => void;
};

/** A setting with its description and the control for its type. */
export const SettingRow = ({ name, row, choices, error, onChange }: Props) => {
  const { t } = useI18n();
  const isFixed = row.source === 'run';
  const badges = (
    <span className="flex items-center gap-1.5">
      {row.restart && <Tag>{t('settings.needsRestart')}</Tag>}
      {isFixed && <Tag tone="warn">{t('settings.forThisRun')}</Tag>}
      {row.source === 'stored' && (
        <IconButton
          label={t('settings.reset', { name: t(`setting.${name}`) })}
          onClick={() => onChange(null)}
        >
          <RotateCcw size={14} aria-hidden />
        </IconButton>
      )}
    </span>
  );
  if (typeof row.value === 'boolean') {
    return (
      <div className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2.5 last:border-0">
        <div className="min-w-[min(100%,16rem)] flex-1">
          <Switch
            label={t(`setting.${name}`)}
            hint={t(`setting.${name}.help`)}
            checked={row.value}
            disabled={isFixed}
            onChange={onChange}
          />
        </div>
        {badges}
      </div>
    );
  }
  if (choices !== undefined) {
    return (
      <LabeledRow name={name} message={error} badges={badges}>
        {(ids) => (
          <Select
            {...ids}
            value={String(row.value)}
            choices={choices}
            disabled={isFixed}
            onChange={onChange}
          />
        )}
      </LabeledRow>
    );
  }
  return (
    <TextRow name={name} row={row} error={error} onChange={onChange} badges={badges} isFixed={isFixed} />
  );
};

type LabeledRowProps = {
  name: SettingKey;
  /** Why the value was not accepted. */
  message: string | undefined;
  badges: ReactNode;
  children: (ids: { readonly id: string; readonly 'aria-describedby': string }) => ReactNode;
};

/** A setting's name and help beside its control. */
const LabeledRow = ({ name, message, badges, children }: LabeledRowProps) => {
  const { t } = useI18n();
  const id = useId();
  return (
    <div className="grid grid-cols-1 items-start gap-x-6 gap-y-2 border-b border-line py-3 last:border-0 sm:grid-cols-[minmax(0,1fr)_minmax(0,calc(300px*max(1,var(--text-scale))))]">
      <div>
        <label htmlFor={id} className="font-[550]">
          {t(`setting.${name}`)}
        </label>
        <p id={`${id}-help`} className="text-xs text-ink-2">
          {t(`setting.${name}.help`)}
        </p>
        {message !== undefined && (
          <p role="alert" className="mt-1 text-xs text-bad">
            {message}
          </p>
        )}
      </div>
      <div className="flex items-start gap-2">
        {children({ id, 'aria-describedby': `${id}-help` })}
        {badges}
      </div>
    </div>
  );
};

type TextRowProps = Props & { badges: ReactNode; isFixed: boolean };

const TextRow = ({ name, row, error, onChange, badges, isFixed }: TextRowProps) => {
  const { t } = useI18n();
  const shown = formatValue(name, row.value);
  const [text, setText] = useState(shown);
  const [isInvalid, setIsInvalid] = useState(false);
  useEffect(() => setText(shown), [shown]);
  const message = isInvalid ? t('settings.notANumber') : error;

  const finish = () => {
    if (text === shown) return;
    const value = parseValue(name, row.default, text);
    setIsInvalid(value === undefined);
    if (value !== undefined) onChange(value);
  };
  const control = {
    value: text,
    disabled: isFixed,
    'aria-invalid': message !== undefined,
    onBlur: finish,
  };
  const lines = Array.isArray(row.default);
  return (
    <LabeledRow name={name} message={message} badges={badges}>
      {(ids) =>
        lines ? (
          <textarea
            {...control}
            {...ids}
            rows={Math.max(2, text.split('\n').length)}
            onChange={(event) => setText(event.target.value)}
            className="w-full rounded-ctl border border-line-2 bg-raised px-2.5 py-1.5 font-mono text-xs"
          />
        ) : (
          <span className="flex flex-1 items-center gap-2">
            <TextInput
              {...control}
              {...ids}
              inputMode={typeof row.default === 'number' ? 'decimal' : 'text'}
              className={typeof row.default === 'number' ? 'tnum' : ''}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') finish();
              }}
            />
            {IN_GIGABYTES.has(name) && <span className="text-ink-2">GB</span>}
          </span>
        )
      }
    </LabeledRow>
  );
};
