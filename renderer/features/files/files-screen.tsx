import { FolderOpen, FolderPlus, Upload } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Page } from '../../app/page.tsx';
import { PageHead } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { number } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { useSettled } from '../../lib/use-settled.ts';
import { UploadCancelled } from '../../stores/uploads.ts';
import { Blank } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, SearchField, TextInput } from '../../ui/field.tsx';
import { UploadsList } from '../library/uploads-list.tsx';
import { CorsSection } from './cors-section.tsx';
import { FileRow } from './file-row.tsx';
import { FolderBar } from './folder-bar.tsx';
import { UsageBar } from './usage-bar.tsx';

const PAGE = 50;

/** The store: files in folders, how much room they take, and who may reach them. */
const FilesScreen = ({ folder }: { folder: string }) => {
  const { client, live, uploads, router } = useServices();
  const { t, locale } = useI18n();
  const [query, setQuery] = useState('');
  const [pages, setPages] = useState(1);
  const [naming, setNaming] = useState(false);
  const settled = useSettled(query.trim(), 180);
  const input = useRef<HTMLInputElement>(null);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [files, usage] = await Promise.all([
        client.call('listFiles', {
          query: {
            limit: Math.min(100, PAGE * pages),
            ...(folder === '' || settled !== '' ? {} : { folder }),
            ...(settled === '' ? {} : { q: settled }),
          },
          signal,
        }),
        client.call('storageInfo', { signal }),
      ]);
      return { ...files.data, usage: usage.data };
    },
    [client, folder, settled, pages],
  );
  const { loaded, again } = useLoaded(load);
  useEffect(
    () =>
      live.listen((event) => {
        if (event.type === 'file.created' || event.type === 'file.deleted') again();
      }),
    [live, again],
  );

  const send = async (file: File) => {
    try {
      await uploads.send(file, folder);
      again();
    } catch (error) {
      // Stopped by hand, or shown with its reason in the list of uploads.
      if (!(error instanceof UploadCancelled)) again();
    }
  };
  const data = loaded.state === 'ready' ? loaded.value : undefined;
  return (
    <Page>
      <PageHead title={t('nav.files')} text={t('files.text')}>
        <Button onClick={() => setNaming(true)}>
          <FolderPlus size={15} strokeWidth={1.75} aria-hidden />
          {t('files.newFolder')}
        </Button>
        <Button look="primary" onClick={() => input.current?.click()}>
          <Upload size={15} aria-hidden />
          {t('files.upload')}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          className="hidden"
          aria-label={t('files.upload')}
          onChange={(event) => {
            for (const file of event.target.files ?? []) void send(file);
            event.target.value = '';
          }}
        />
      </PageHead>
      {data !== undefined && <UsageBar usage={data.usage} />}
      <div className="mt-5 flex flex-wrap items-center gap-3">
        <SearchField
          label={t('files.search')}
          clearLabel={t('common.clear')}
          value={query}
          onText={setQuery}
          className="!h-8 w-[280px]"
        />
        {settled === '' && <FolderBar folder={folder} folders={data?.folders ?? []} />}
      </div>
      <UploadsList />
      {loaded.state === 'failed' && (
        <Blank role="alert" title={t('files.failed')} text={errorText(loaded.error, t)}>
          <Button onClick={again}>{t('common.retry')}</Button>
        </Blank>
      )}
      {data !== undefined && data.files.length === 0 && (
        <Blank
          icon={<FolderOpen size={28} strokeWidth={1.5} aria-hidden />}
          title={settled === '' ? t('files.empty') : t('files.none')}
          text={settled === '' ? t('files.empty.text') : t('files.none.text')}
        />
      )}
      {data !== undefined && data.files.length > 0 && (
        <ul aria-label={t('nav.files')} className="mt-3 border-t border-line">
          {data.files.map((file) => (
            <FileRow key={file.key} file={file} onChanged={again} />
          ))}
        </ul>
      )}
      {data?.pagination.hasNext === true && PAGE * pages < 100 && (
        <Button className="mt-4" onClick={() => setPages(pages + 1)}>
          {t('search.more', { count: number(data.pagination.total - data.files.length, locale) })}
        </Button>
      )}
      <CorsSection />
      {naming && (
        <NewFolder
          onClose={() => setNaming(false)}
          onName={(name) => {
            setNaming(false);
            router.go({ screen: 'files', folder: folder === '' ? name : `${folder}/${name}` });
          }}
        />
      )}
    </Page>
  );
};
export default FilesScreen;

/** A folder exists once a file is in it: this opens its place, ready to upload into. */
const NewFolder = ({ onClose, onName }: { onClose: () => void; onName: (name: string) => void }) => {
  const { t } = useI18n();
  const [name, setName] = useState('');
  const tidy = name.trim().replace(/^\/+|\/+$/g, '');
  return (
    <Dialog title={t('files.newFolder')} closeLabel={t('common.close')} onClose={onClose} width={420}>
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (tidy !== '') onName(tidy);
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
        <Button type="submit" look="primary" className="mb-[26px]" disabled={tidy === ''}>
          {t('files.openFolder')}
        </Button>
      </form>
    </Dialog>
  );
};
