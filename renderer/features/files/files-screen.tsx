import { FolderOpen, FolderPlus, Upload } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { z } from 'zod';
import { useStore } from 'zustand';
import type { StorageUsage } from '../../../electron/contract/storage.ts';
import { describeError } from '../../api/errors.ts';
import { invalidate } from '../../api/queries.ts';
import { UploadList } from '../../domain/upload-list.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { useDebouncedValue, useRowCount } from '../../hooks/use-paged-rows.ts';
import { formatBytes } from '../../lib/format.ts';
import { createFileList } from '../../stores/files.ts';
import type { ScreenProps } from '../../stores/router.ts';
import { UploadCancelledError } from '../../stores/uploads.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState, ProgressBar } from '../../ui/feedback.tsx';
import { Field, SearchField, TextInput } from '../../ui/field.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { CorsSection } from './cors-section.tsx';
import { FilesTable } from './files-table.tsx';
import { FolderBar } from './folder-bar.tsx';

const SEARCH_DEBOUNCE_MS = 180;

/** The stored files in folders, the space that they use, and the CORS rules. */
const FilesScreen = ({ param: folder }: ScreenProps) => <FolderView key={folder} folder={folder} />;
export default FilesScreen;

const FolderView = ({ folder }: { folder: string }) => {
  const { client, queries } = useServices();
  const { t } = useI18n();
  const [text, setText] = useState('');
  const q = useDebouncedValue(text.trim(), SEARCH_DEBOUNCE_MS);
  const files = useMemo(() => createFileList(client, queries, folder), [client, queries, folder]);
  const folders = useApi('listFiles', { query: { limit: 1 } }).data?.data.folders ?? [];
  const usage = useApi('storageInfo').data?.data;
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => files.setQuery({ q }), [files, q]);
  const refresh = () => void invalidate(queries, ['listFiles', 'storageInfo']);
  return (
    <Page ref={page}>
      <FilesHeader folder={folder} onSent={refresh} />
      <UsageBar usage={usage} />
      <div className="mt-5 flex flex-wrap items-center gap-3">
        <SearchField
          label={t('files.search')}
          clearLabel={t('common.clear')}
          value={text}
          onValueChange={setText}
          className="!h-8 w-[280px]"
        />
        {q === '' && <FolderBar folder={folder} folders={folders} />}
      </div>
      <UploadList />
      <FilesBody files={files} scroller={page} showFolder={q !== '' || folder === ''} onChanged={refresh} />
      <CorsSection />
    </Page>
  );
};

type BodyProps = Parameters<typeof FilesTable>[0];

const FilesBody = (props: BodyProps) => {
  const { files } = props;
  const { t } = useI18n();
  const { q } = useStore(files.store);
  const { total, error, retry } = useRowCount(files);
  if (error !== null && total === undefined) {
    return (
      <EmptyState role="alert" title={t('files.failed')} text={describeError(error, t)}>
        <Button onClick={retry}>{t('common.retry')}</Button>
      </EmptyState>
    );
  }
  if (total === 0) {
    return (
      <EmptyState
        role="status"
        icon={<FolderOpen size={28} strokeWidth={1.5} aria-hidden />}
        title={q === '' ? t('files.empty') : t('files.none')}
        text={q === '' ? t('files.empty.text') : t('files.none.text')}
      />
    );
  }
  return <FilesTable {...props} />;
};

const FilesHeader = ({ folder, onSent }: { folder: string; onSent: () => void }) => {
  const { uploads, router } = useServices();
  const { t } = useI18n();
  const [isNaming, setIsNaming] = useState(false);
  const send = async (file: File) => {
    try {
      await uploads.send(file, { folder, purpose: 'storage' });
    } catch (error) {
      // The list of uploads shows any other failure.
      if (error instanceof UploadCancelledError) return;
    }
    onSent();
  };
  return (
    <PageHeader title={t('nav.files')} text={t('files.text')}>
      <Button onClick={() => setIsNaming(true)}>
        <FolderPlus size={15} strokeWidth={1.75} aria-hidden />
        {t('files.newFolder')}
      </Button>
      <FileButton
        label={t('files.upload')}
        icon={<Upload size={15} aria-hidden />}
        variant="primary"
        testId="upload-input"
        onFiles={(files) => {
          for (const file of files) void send(file);
        }}
      />
      {isNaming && (
        <NewFolderDialog
          onClose={() => setIsNaming(false)}
          onName={(name) => {
            setIsNaming(false);
            router.go({ screen: 'files', param: folder === '' ? name : `${folder}/${name}` });
          }}
        />
      )}
    </PageHeader>
  );
};

/** Opens an empty folder to upload into; it exists once it contains a file. */
const NewFolderDialog = ({ onClose, onName }: { onClose: () => void; onName: (name: string) => void }) => {
  const { t } = useI18n();
  const [name, setName] = useState('');
  const folder = name.trim().replace(/^\/+|\/+$/g, '');
  return (
    <Dialog title={t('files.newFolder')} closeLabel={t('common.close')} onClose={onClose} width={420}>
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (folder !== '') onName(folder);
        }}
      >
        <Field label={t('files.folderName')} hint={t('files.folderHint')} className="flex-1">
          {(ids) => (
            <TextInput
              {...ids}
              value={name}
              maxLength={200}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" variant="primary" className="mb-[26px]" disabled={folder === ''}>
          {t('files.openFolder')}
        </Button>
      </form>
    </Dialog>
  );
};

/** Has its place before the answer, so that nothing below it moves. */
const UsageBar = ({ usage }: { usage: z.output<typeof StorageUsage>['data'] | undefined }) => {
  const { t, locale } = useI18n();
  return (
    <div className="max-w-[520px]">
      <p className="tnum mb-1.5 flex min-h-[1lh] text-xs text-ink-2">
        {usage !== undefined && (
          <>
            <span className="flex-1">
              {t('files.used', {
                used: formatBytes(usage.totalStorageUsed, locale),
                limit: formatBytes(usage.storageLimit, locale),
              })}
            </span>
            {t('files.count', { count: usage.fileCount })}
          </>
        )}
      </p>
      <ProgressBar value={usage && shareOf(usage)} label={t('files.usage')} />
    </div>
  );
};

const shareOf = ({ totalStorageUsed, storageLimit }: z.output<typeof StorageUsage>['data']) =>
  storageLimit === 0 ? 0 : totalStorageUsed / storageLimit;
