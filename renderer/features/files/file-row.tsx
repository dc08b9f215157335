import {
  AudioLines,
  Download,
  Ellipsis,
  File,
  FileText,
  Globe,
  Image,
  Info,
  Link2,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import type { StoredFile } from '../../../electron/contract/storage.ts';
import { onOrigin } from '../../api/audio.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { bytes, dayLabel } from '../../lib/format.ts';
import { Tag } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { FileDetails } from './file-details.tsx';

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
  const { client, toasts, baseUrl } = useServices();
  const { t } = useI18n();
  const params = { fileKey: file.key };
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      toasts.show(errorText(error, t), { tone: 'bad' });
    }
  };
  const signed = async () => {
    const { data } = await client.call('downloadUrl', { params, query: { expires: LINK_SECONDS } });
    return data.url;
  };
  return {
    download: () =>
      attempt(async () => {
        const link = document.createElement('a');
        link.href = onOrigin(await signed(), baseUrl);
        link.download = file.original_name;
        link.click();
      }),
    copyLink: () =>
      attempt(async () => {
        await navigator.clipboard.writeText(file.urls.direct ?? (await signed()));
        toasts.show(file.urls.direct === null ? t('files.linkHour') : t('files.linkPublic'));
      }),
    setPublic: (on: boolean) =>
      attempt(async () => {
        await client.call('patchFile', { params, body: { public: on } });
        onChanged();
      }),
    remove: () =>
      attempt(async () => {
        await client.call('deleteFile', { params });
        onChanged();
      }),
  };
};

/** One stored file and what can be done with it. */
export const FileRow = ({ file, onChanged }: { file: StoredFile; onChanged: () => void }) => {
  const { dialogs } = useServices();
  const { t, locale } = useI18n();
  const actions = useFileActions(file, onChanged);
  const [asking, setAsking] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <li className="flex min-h-[60px] items-center gap-3.5 border-b border-line px-2 py-2 hover:bg-ground">
      <KindIcon type={file.mime_type} />
      <div className="min-w-0 flex-1">
        <p className="truncate font-[580]">{file.original_name}</p>
        <p className="tnum mt-0.5 flex items-center gap-2 text-xs text-ink-3">
          {bytes(file.size, locale)} · {dayLabel(file.uploaded_at, locale)}
          {file.folder !== '' && <span className="truncate font-mono text-2xs">{file.folder}</span>}
          {file.public && <Tag tone="warn">{t('files.public')}</Tag>}
        </p>
      </div>
      {isMedia(file) && (
        <Button
          look="ghost"
          className="hidden sm:inline-flex"
          onClick={() =>
            dialogs.open({
              kind: 'create',
              sources: [{ kind: 'stored', key: file.key, name: file.original_name }],
            })
          }
        >
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
        <MenuItem icon={<Link2 size={14} aria-hidden />} onSelect={() => void actions.copyLink()}>
          {t('files.copyLink')}
        </MenuItem>
        <MenuItem
          icon={<Globe size={14} aria-hidden />}
          onSelect={() => void actions.setPublic(!file.public)}
        >
          {file.public ? t('files.makePrivate') : t('files.makePublic')}
        </MenuItem>
        <MenuItem icon={<Info size={14} aria-hidden />} onSelect={() => setOpen(true)}>
          {t('files.details')}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<Trash2 size={14} aria-hidden />} tone="bad" onSelect={() => setAsking(true)}>
          {t('common.delete')}
        </MenuItem>
      </Menu>
      {open && <FileDetails file={file} onClose={() => setOpen(false)} onChanged={onChanged} />}
      {asking && (
        <Confirm
          title={t('files.delete.title', { name: file.original_name })}
          text={
            <>
              <p>{t('files.delete.text')}</p>
              {isMedia(file) && <p className="mt-2">{t('files.delete.transcripts')}</p>}
              {file.public && <p className="mt-2">{t('files.delete.public')}</p>}
            </>
          }
          confirm={t('common.delete')}
          cancel={t('common.cancel')}
          onConfirm={() => {
            setAsking(false);
            void actions.remove();
          }}
          onCancel={() => setAsking(false)}
        />
      )}
    </li>
  );
};
