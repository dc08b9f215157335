import {
  AudioLines,
  Download,
  Ellipsis,
  File,
  FileText,
  Folder,
  Globe,
  Image,
  Info,
  Link2,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import type { StoredFile } from '../../../electron/contract/storage.ts';
import { describeError } from '../../api/errors.ts';
import { toSameOrigin } from '../../api/session.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatBytes, formatRelativeDay } from '../../lib/format.ts';
import { Tag } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { type RowPlace, VirtualRow } from '../../ui/virtual-row.tsx';
import { useWholeText } from '../../ui/whole-text.tsx';
import { DeleteFileDialog } from './delete-file-dialog.tsx';
import { FileDetailsDialog } from './file-details-dialog.tsx';

const LINK_SECONDS = 3600;

const isMedia = (file: StoredFile) => /^(audio|video)\//.test(file.mime_type);

const KindIcon = ({ type }: { type: string }) => {
  const Icon = /^(audio|video)\//.test(type)
    ? AudioLines
    : type.startsWith('image/')
      ? Image
      : type.startsWith('text/') || type.includes('document')
        ? FileText
        : File;
  return <Icon size={18} strokeWidth={1.6} className="shrink-0 text-ink-3" aria-hidden />;
};

const useFileActions = (file: StoredFile, onChanged: () => void) => {
  const { client, toasts, dialogs, baseUrl } = useServices();
  const { t } = useI18n();
  const params = { fileKey: file.key };
  const run = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  const fetchSignedUrl = async () => {
    const { data } = await client.call('downloadUrl', { params, query: { expires: LINK_SECONDS } });
    return data.url;
  };
  return {
    transcribe: () =>
      dialogs.open({
        kind: 'create',
        sources: [{ kind: 'stored', key: file.key, name: file.original_name }],
      }),
    download: () =>
      run(async () => {
        const link = document.createElement('a');
        link.href = toSameOrigin(await fetchSignedUrl(), baseUrl);
        link.download = file.original_name;
        link.click();
      }),
    copyLink: () =>
      run(async () => {
        await navigator.clipboard.writeText(file.urls.direct ?? (await fetchSignedUrl()));
        toasts.show(file.urls.direct === null ? t('files.linkExpires') : t('files.linkPublic'));
      }),
    setPublic: (on: boolean) =>
      run(async () => {
        await client.call('patchFile', { params, body: { public: on } });
        onChanged();
      }),
    remove: () =>
      run(async () => {
        await client.call('deleteFile', { params });
        onChanged();
      }),
  };
};

export const COLUMNS = cx(
  'grid grid-cols-[minmax(0,1fr)_72px] items-center gap-x-3',
  'md:grid-cols-[minmax(0,1fr)_90px_118px_72px] lg:grid-cols-[minmax(0,1fr)_90px_118px_220px]',
);

type RowProps = {
  file: StoredFile;
  place: RowPlace;
  showFolder: boolean;
  onChanged: () => void;
};

/** A stored file and its actions. */
export const FileRow = ({ file, place, showFolder, onChanged }: RowProps) => {
  const { t, locale } = useI18n();
  const actions = useFileActions(file, onChanged);
  const [open, setOpen] = useState<'none' | 'details' | 'delete'>('none');
  const close = () => setOpen('none');
  const whole = useWholeText(file.original_name);
  return (
    <VirtualRow place={place} columns={COLUMNS}>
      <td className="flex min-w-0 items-center gap-3.5">
        <KindIcon type={file.mime_type} />
        <div className="min-w-0 flex-1">
          <span className="relative block">
            <button
              type="button"
              onClick={() => setOpen('details')}
              {...whole.handlers}
              className="block max-w-full truncate text-[calc(14px*var(--text-scale))] font-[580] tracking-[-.005em]"
            >
              {file.original_name}
            </button>
            {whole.popup}
          </span>
          <p className="tnum mt-[3px] flex min-h-5 items-center gap-2 overflow-hidden text-xs text-ink-3">
            <span className="whitespace-nowrap md:hidden">
              {formatBytes(file.size, locale)} · {formatRelativeDay(file.uploaded_at, locale)}
            </span>
            <span className="hidden truncate font-mono text-2xs md:inline">{file.mime_type}</span>
            {showFolder && file.folder !== '' && (
              <span className="flex min-w-0 items-center gap-1">
                <Folder size={12} aria-hidden />
                <span className="truncate">{file.folder}</span>
              </span>
            )}
            {file.public && <Tag tone="warn">{t('files.public')}</Tag>}
          </p>
        </div>
      </td>
      <td className="tnum hidden text-end text-ink-2 md:block">{formatBytes(file.size, locale)}</td>
      <td className="hidden truncate text-end text-ink-2 md:block">
        {formatRelativeDay(file.uploaded_at, locale)}
      </td>
      <td className="flex items-center justify-end">
        <RowActions file={file} actions={actions} onOpen={setOpen} />
        {open === 'details' && <FileDetailsDialog file={file} onClose={close} onChanged={onChanged} />}
        {open === 'delete' && (
          <DeleteFileDialog
            file={file}
            onConfirm={() => {
              close();
              void actions.remove();
            }}
            onCancel={close}
          />
        )}
      </td>
    </VirtualRow>
  );
};

type ActionsProps = {
  file: StoredFile;
  actions: ReturnType<typeof useFileActions>;
  onOpen: (dialog: 'details' | 'delete') => void;
};

const RowActions = ({ file, actions, onOpen }: ActionsProps) => {
  const { t } = useI18n();
  return (
    <>
      {isMedia(file) && (
        <Button variant="ghost" className="max-lg:hidden" onClick={actions.transcribe}>
          {t('create.start')}
        </Button>
      )}
      <IconButton
        label={t('files.download', { name: file.original_name })}
        onClick={() => void actions.download()}
      >
        <Download size={15} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <Menu
        trigger={
          <IconButton label={t('library.more', { name: file.original_name })}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        {isMedia(file) && (
          <MenuItem icon={<AudioLines size={14} aria-hidden />} onSelect={actions.transcribe}>
            {t('create.start')}
          </MenuItem>
        )}
        <MenuItem icon={<Link2 size={14} aria-hidden />} onSelect={() => void actions.copyLink()}>
          {t('files.copyLink')}
        </MenuItem>
        <MenuItem
          icon={<Globe size={14} aria-hidden />}
          onSelect={() => void actions.setPublic(!file.public)}
        >
          {file.public ? t('files.makePrivate') : t('files.makePublic')}
        </MenuItem>
        <MenuItem icon={<Info size={14} aria-hidden />} onSelect={() => onOpen('details')}>
          {t('files.details')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 size={14} aria-hidden />} tone="bad" onSelect={() => onOpen('delete')}>
          {t('common.delete')}
        </MenuItem>
      </Menu>
    </>
  );
};
