import { AudioLines, FileInput, UsersRound } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { Model } from '../../../electron/contract/system.ts';
import { Page } from '../../app/page.tsx';
import { PageHead, Section } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { debounce } from '../../lib/debounce.ts';
import { errorText } from '../../lib/errors.ts';
import { bytes, percent } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { Blank, Note, Tag } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { DownloadLine, ModelActions } from './model-actions.tsx';
import { factsOf, goodFor, modelName } from './model-facts.ts';

const REFRESH_MS = 250;

/** Follows the downloads: asks for the list anew, and gives back what a live region says. */
const useDownloads = (again: () => void): string => {
  const { live } = useServices();
  const { t, locale } = useI18n();
  const [said, setSaid] = useState('');
  useEffect(() => {
    const refresh = debounce(again, REFRESH_MS);
    const stop = live.listen((event) => {
      if (event.type !== 'model.progress') return;
      refresh();
      // Every quarter: often enough to follow by ear.
      const quarter = event.total === 0 ? 0 : Math.floor((event.received / event.total) * 4) / 4;
      if (quarter > 0) setSaid(t('models.said', { name: event.id, share: percent(quarter, locale) }));
    });
    return () => {
      stop();
      refresh.cancel();
    };
  }, [live, again, t, locale]);
  return said;
};

/** The models: what each is good for, and what is on this computer. */
const ModelsScreen = () => {
  const { client } = useServices();
  const { t } = useI18n();
  const [importing, setImporting] = useState(false);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [models, system] = await Promise.all([
        client.call('listModels', { signal }),
        client.call('system', { signal }),
      ]);
      return { models: models.data, free: system.data.disk_free };
    },
    [client],
  );
  const { loaded, again } = useLoaded(load);
  const said = useDownloads(again);
  return (
    <Page>
      <div className="max-w-[880px]">
        <PageHead title={t('nav.models')} text={t('models.text')}>
          <Button onClick={() => setImporting(true)}>
            <FileInput size={15} strokeWidth={1.75} aria-hidden />
            {t('models.import')}
          </Button>
        </PageHead>
        <p role="status" className="sr-only">
          {said}
        </p>
        {loaded.state === 'loading' && <SkeletonRows label={t('common.loading')} rows={6} />}
        {loaded.state === 'failed' && (
          <Blank role="alert" title={t('models.failed')} text={errorText(loaded.error, t)}>
            <Button onClick={again}>{t('common.retry')}</Button>
          </Blank>
        )}
        {loaded.state === 'ready' && (
          <Models models={loaded.value.models} free={loaded.value.free} onChanged={again} />
        )}
        {importing && (
          <ImportDialog
            onClose={() => setImporting(false)}
            onDone={() => {
              setImporting(false);
              again();
            }}
          />
        )}
      </div>
    </Page>
  );
};
export default ModelsScreen;

type ModelsProps = { models: readonly Model[]; free: number; onChanged: () => void };

const Models = ({ models, free, onChanged }: ModelsProps) => {
  const { t, locale } = useI18n();
  const installed = models.filter((model) => model.installed);
  const size = installed.reduce((sum, model) => sum + model.size, 0);
  const real = installed.some((model) => model.kind === 'whisper' && !model.demonstration);
  return (
    <>
      {!real && (
        <div className="mb-5">
          <Note tone="warn">{t('models.nothing')}</Note>
        </div>
      )}
      <ModelGroup
        title={t('models.installed')}
        text={t('models.use', {
          count: installed.length,
          size: bytes(size, locale),
          free: bytes(free, locale),
        })}
        models={installed}
        onChanged={onChanged}
      />
      <ModelGroup
        title={t('models.available')}
        models={models.filter((model) => !model.installed)}
        onChanged={onChanged}
      />
    </>
  );
};

type GroupProps = { title: string; text?: string; models: readonly Model[]; onChanged: () => void };

const ModelGroup = ({ models, onChanged, ...head }: GroupProps) => {
  if (models.length === 0) return null;
  return (
    <Section {...head}>
      <ul>
        {models.map((model) => (
          <ModelRow key={model.id} model={model} onChanged={onChanged} />
        ))}
      </ul>
    </Section>
  );
};

const ModelRow = ({ model, onChanged }: { model: Model; onChanged: () => void }) => {
  const i18n = useI18n();
  const { t } = i18n;
  const Icon = model.kind === 'whisper' ? AudioLines : UsersRound;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line py-3.5 last:border-0 sm:flex-nowrap">
      <Icon size={18} strokeWidth={1.6} className="mt-0.5 text-ink-3" aria-hidden />
      <div className="min-w-0 flex-1 basis-[calc(100%-40px)] sm:basis-0">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-[580]">{modelName(model, t)}</span>
          {model.aliases.length > 0 && <Tag>{t('models.answers', { names: model.aliases.join(', ') })}</Tag>}
        </p>
        <p className="mt-0.5 text-ink-2">{goodFor(model, t)}</p>
        <p className="tnum mt-0.5 text-xs text-ink-3">{factsOf(model, i18n)}</p>
        <DownloadLine model={model} />
      </div>
      <ModelActions model={model} onChanged={onChanged} />
    </li>
  );
};
