import { Copy, Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { EXPORT_TYPES, type ExportFormat } from '../../../electron/contract/exports.ts';
import { describeError } from '../../api/errors.ts';
import {
  DEFAULT_EXPORT_OPTIONS,
  EXPORT_ORDER,
  type ExportOptions,
  fetchExport,
  isSubtitle,
  saveAddress,
  saveBlob,
} from '../../api/export.ts';
import { fetchAudioUrl } from '../../api/session.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import type { MessageKey } from '../../i18n/index.ts';
import { cx } from '../../lib/classes.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { ExportPreview } from './export-preview.tsx';
import { useReader } from './reader.tsx';

/** Descriptions of formats; a format without one shows its name only. */
const DESCRIPTIONS: Partial<Readonly<Record<ExportFormat, MessageKey>>> = {
  srt: 'export.srt',
  vtt: 'export.vtt',
  txt: 'export.txt',
  md: 'export.md',
  docx: 'export.docx',
  json: 'export.json',
  csv: 'export.csv',
};

/** Exports the transcript, with a preview. */
export const ExportDialog = () => {
  const { id, view, editor } = useReader();
  const { client, baseUrl, toasts } = useServices();
  const { t } = useI18n();
  const [isSound, setIsSound] = useState(false);
  const [options, setOptions] = useState(DEFAULT_EXPORT_OPTIONS);
  const [isSaved, setIsSaved] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const change = (part: Partial<ExportOptions>) => {
    setFailure(undefined);
    setOptions({ ...options, ...part });
  };
  const close = () => view.setState({ isExporting: false });

  // Save pending edits first, since the server renders the export.
  useEffect(() => {
    void editor.save().then(() => setIsSaved(true));
  }, [editor]);

  const download = async () => {
    try {
      if (isSound) saveAddress(`${(await fetchAudioUrl(client, baseUrl, id)).url}&download=true`);
      else {
        const { blob, name } = await fetchExport(client, id, options);
        saveBlob(blob, name);
      }
      close();
    } catch (error) {
      setFailure(error);
    }
  };
  const copy = async () => {
    try {
      const { blob } = await fetchExport(client, id, options);
      await navigator.clipboard.writeText(await blob.text());
      toasts.show(t('common.copied'));
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <Dialog
      title={t('export.title')}
      closeLabel={t('common.close')}
      onClose={close}
      focusesControl
      width={860}
      footer={
        <>
          <span className="flex-1" />
          {options.format !== 'docx' && !isSound && (
            <Button disabled={!isSaved} onClick={() => void copy()}>
              <Copy size={15} aria-hidden />
              {t('export.copy')}
            </Button>
          )}
          <Button variant="primary" disabled={!isSaved} onClick={() => void download()}>
            <Download size={15} aria-hidden />
            {isSound
              ? t('export.recording.save')
              : t('export.save', { format: EXPORT_TYPES[options.format].name })}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-6 sm:grid-cols-[240px_minmax(0,1fr)]">
        <div>
          <FormatPicker
            value={isSound ? undefined : options.format}
            onChange={(format) => {
              setIsSound(format === undefined);
              change(format === undefined ? {} : { format });
            }}
          />
          {!isSound && <OptionFields options={options} onChange={change} />}
        </div>
        {isSound ? (
          <SoundNotice failure={failure} />
        ) : isSaved ? (
          <ExportPreview key={options.format} options={options} failure={failure} />
        ) : (
          <SavingNotice />
        )}
      </div>
    </Dialog>
  );
};

/** In place of the preview until the server has the last corrections. */
const SavingNotice = () => {
  const { t } = useI18n();
  return (
    <div className="grid h-[420px] place-items-center rounded-box bg-ground">
      <p role="status" className="text-ink-2">
        {t('export.saving')}
      </p>
    </div>
  );
};

/** What is saved as the recording: with bleeps, where the text is redacted. */
const SoundNotice = ({ failure }: { failure: unknown }) => {
  const { editor } = useReader();
  const { t } = useI18n();
  const isRedacted = useStore(editor.store, (state) => state.transcript?.redact_pii_sub !== undefined);
  return failure === undefined ? (
    <p className="rounded-box bg-ground p-4 text-ink-2">
      {t(isRedacted ? 'export.recording.bleeped' : 'export.recording.whole')}
    </p>
  ) : (
    <p role="alert" className="rounded-box bg-bad-soft p-4 text-bad">
      {describeError(failure, t)}
    </p>
  );
};

type FormatPickerProps = {
  /** Undefined: the recording itself. */
  value: ExportFormat | undefined;
  onChange: (format: ExportFormat | undefined) => void;
};

const FormatPicker = ({ value, onChange }: FormatPickerProps) => {
  const { player } = useReader();
  const { t } = useI18n();
  const isGone = useStore(player.store, (state) => state.isGone);
  const choices = isGone ? EXPORT_ORDER : [...EXPORT_ORDER, undefined];
  return (
    <fieldset>
      <legend className="sr-only">{t('export.format')}</legend>
      {choices.map((format) => {
        const description = format === undefined ? 'export.recording.hint' : DESCRIPTIONS[format];
        return (
          <label
            key={format ?? 'recording'}
            className={cx(
              'flex cursor-pointer items-baseline gap-2.5 rounded-ctl px-2.5 py-1.5 has-focus-visible:outline-2 has-focus-visible:outline-accent',
              value === format ? 'bg-sunken' : 'hover:bg-ground',
            )}
          >
            <input
              type="radio"
              name="format"
              value={format ?? 'recording'}
              checked={value === format}
              onChange={() => onChange(format)}
              className="sr-only"
            />
            <span className="w-[76px] shrink-0 font-[580]">
              {format === undefined ? t('export.recording') : EXPORT_TYPES[format].name}
            </span>
            {description !== undefined && <span className="text-xs text-ink-2">{t(description)}</span>}
          </label>
        );
      })}
    </fieldset>
  );
};

type OptionProps = { options: ExportOptions; onChange: (part: Partial<ExportOptions>) => void };

const numberChoices = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => String(from + index * step)).map(
    (value) => ({ value, label: value }),
  );

const OptionFields = ({ options, onChange }: OptionProps) => {
  const { t } = useI18n();
  const { format } = options;
  return (
    <div className="mt-4 flex flex-col gap-3 border-t border-line pt-4">
      {format !== 'json' && format !== 'csv' && (
        <Switch
          label={t('export.speakers')}
          checked={options.speakers}
          onChange={(speakers) => onChange({ speakers })}
        />
      )}
      {(format === 'txt' || format === 'md') && (
        <Switch label={t('export.times')} checked={options.times} onChange={(times) => onChange({ times })} />
      )}
      {isSubtitle(format) && (
        <>
          <Switch
            label={t('export.words')}
            checked={options.words}
            onChange={(words) => onChange({ words })}
          />
          <Field label={t('export.maxChars')}>
            {(ids) => (
              <Select
                {...ids}
                value={String(options.maxChars)}
                choices={numberChoices(26, 66, 4)}
                onChange={(value) => onChange({ maxChars: Number(value) })}
              />
            )}
          </Field>
          <Field label={t('export.maxLines')}>
            {(ids) => (
              <Select
                {...ids}
                value={String(options.maxLines)}
                choices={numberChoices(1, 4, 1)}
                onChange={(value) => onChange({ maxLines: Number(value) })}
              />
            )}
          </Field>
        </>
      )}
    </div>
  );
};
