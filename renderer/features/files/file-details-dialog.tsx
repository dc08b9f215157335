import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { StoredFile } from '../../../electron/contract/storage.ts';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatBytes, formatDateTime } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { TextInput } from '../../ui/field.tsx';

type MetadataEntry = { readonly id: number; readonly key: string; readonly value: string };

/** Values that are not strings are shown as JSON. */
const toEntries = (metadata: StoredFile['metadata']): MetadataEntry[] =>
  Object.entries(metadata).map(([key, value], id) => ({
    id,
    key,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));

const fromEntries = (
  entries: readonly MetadataEntry[],
  before: StoredFile['metadata'],
): StoredFile['metadata'] =>
  Object.fromEntries(
    entries
      .filter((entry) => entry.key.trim() !== '')
      .map((entry) => {
        const old = before[entry.key];
        const isUnchanged =
          old !== undefined && typeof old !== 'string' && JSON.stringify(old) === entry.value;
        return [entry.key.trim(), isUnchanged ? old : entry.value];
      }),
  );

type Props = { file: StoredFile; onClose: () => void; onChanged: () => void };

/** Shows a file's properties and edits its metadata. */
export const FileDetailsDialog = ({ file, onClose, onChanged }: Props) => {
  const { client } = useServices();
  const { t, locale } = useI18n();
  const [entries, setEntries] = useState(() => toEntries(file.metadata));
  const [error, setError] = useState<string>();
  const save = async () => {
    try {
      await client.call('patchFile', {
        params: { fileKey: file.key },
        body: { metadata: fromEntries(entries, file.metadata) },
      });
      onChanged();
      onClose();
    } catch (reason) {
      setError(describeError(reason, t));
    }
  };
  const facts: readonly (readonly [string, string])[] = [
    [t('files.key'), file.key],
    [t('files.type'), file.mime_type],
    [t('files.size'), formatBytes(file.size, locale)],
    [t('details.created'), formatDateTime(file.uploaded_at, locale)],
    ['SHA-256', file.checksums.sha256],
  ];
  return (
    <Dialog
      title={file.original_name}
      closeLabel={t('common.close')}
      onClose={onClose}
      width={560}
      footer={
        <>
          <span className="flex-1" />
          <Button variant="ghost" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button variant="primary" onClick={() => void save()}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="font-mono text-xs break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <MetadataFields entries={entries} onChange={setEntries} />
      {error !== undefined && (
        <div className="mt-4" role="alert">
          <Callout tone="bad">{error}</Callout>
        </div>
      )}
    </Dialog>
  );
};

type FieldsProps = {
  entries: readonly MetadataEntry[];
  onChange: (entries: MetadataEntry[]) => void;
};

const MetadataFields = ({ entries, onChange }: FieldsProps) => {
  const { t } = useI18n();
  const [nextId, setNextId] = useState(entries.length);
  const set = (id: number, part: Partial<MetadataEntry>) =>
    onChange(entries.map((entry) => (entry.id === id ? { ...entry, ...part } : entry)));
  return (
    <>
      <h3 className="mt-5 mb-2 text-xs font-medium text-ink-2">{t('files.metadata')}</h3>
      <ul className="flex flex-col gap-2">
        {entries.map((entry) => (
          <li key={entry.id} className="flex gap-2">
            <TextInput
              aria-label={t('files.metadata.key')}
              placeholder={t('files.metadata.key')}
              value={entry.key}
              className="!w-40"
              onChange={(event) => set(entry.id, { key: event.target.value })}
            />
            <TextInput
              aria-label={t('files.metadata.value')}
              placeholder={t('files.metadata.value')}
              value={entry.value}
              onChange={(event) => set(entry.id, { value: event.target.value })}
            />
            <IconButton
              label={t('create.remove', { name: entry.key })}
              onClick={() => onChange(entries.filter((each) => each.id !== entry.id))}
            >
              <X size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <Button
        variant="ghost"
        className="mt-2"
        onClick={() => {
          onChange([...entries, { id: nextId, key: '', value: '' }]);
          setNextId(nextId + 1);
        }}
      >
        <Plus size={15} aria-hidden />
        {t('files.metadata.add')}
      </Button>
    </>
  );
};
