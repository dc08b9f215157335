import { AudioLines, Ear, FileInput, UsersRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Model } from '../../../electron/contract/system.ts';
import { describeError } from '../../api/errors.ts';
import { invalidate } from '../../api/queries.ts';
import { ModelActions, ModelStatus } from '../../domain/model-status.tsx';
import { byFamily, describeFacts, describeModel } from '../../domain/models.ts';
import { OfflineNotice } from '../../domain/offline-notice.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { formatBytes, formatPercent } from '../../lib/format.ts';
import { Tag } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState, SkeletonRows } from '../../ui/feedback.tsx';
import { Page, PageHeader, Section } from '../../ui/page.tsx';
import { ImportModelDialog } from './import-dialog.tsx';

/** Whether the server had no network for a download. */
const isUnreachable = ({ download }: Model): boolean =>
  download?.error?.startsWith('No internet connection') === true;

/** The latest announcement on downloads for a live region. */
const useDownloadAnnouncements = (): string => {
  const { live } = useServices();
  const { t, locale } = useI18n();
  const [announcement, setAnnouncement] = useState('');
  useEffect(
    () =>
      live.listen((event) => {
        if (event.type !== 'model.progress') return;
        // Progress is announced in quarters: more often would interrupt a screen reader.
        const quarter = event.total === 0 ? 0 : Math.floor((event.received / event.total) * 4) / 4;
        if (quarter > 0)
          setAnnouncement(
            t('models.announcement', { name: event.id, share: formatPercent(quarter, locale) }),
          );
      }),
    [live, t, locale],
  );
  return announcement;
};

/** The installed and the available models. */
const ModelsScreen = () => {
  const { queries } = useServices();
  const { t } = useI18n();
  const [isImporting, setIsImporting] = useState(false);
  const models = useApi('listModels', { query: { catalog: true } });
  const system = useApi('system');
  const reload = () => void invalidate(queries, ['listModels', 'system']);
  const announcement = useDownloadAnnouncements();
  const error = models.error ?? system.error;
  return (
    <Page>
      <div className="max-w-[880px]">
        <PageHeader title={t('nav.models')} text={t('models.text')}>
          <Button onClick={() => setIsImporting(true)}>
            <FileInput size={15} strokeWidth={1.75} aria-hidden />
            {t('models.import')}
          </Button>
        </PageHeader>
        <OfflineNotice hasFailed={models.data?.data.some(isUnreachable)}>
          <Button variant="link" className="!text-warn" onClick={() => setIsImporting(true)}>
            {t('models.import')}
          </Button>
        </OfflineNotice>
        <p role="status" className="sr-only">
          {announcement}
        </p>
        {(models.isPending || system.isPending) && <SkeletonRows label={t('common.loading')} rows={6} />}
        {error !== null && (models.data === undefined || system.data === undefined) && (
          <EmptyState role="alert" title={t('models.failed')} text={describeError(error, t)}>
            <Button onClick={reload}>{t('common.retry')}</Button>
          </EmptyState>
        )}
        {models.data !== undefined && system.data !== undefined && (
          <Models models={models.data.data} free={system.data.data.disk_free} onChanged={reload} />
        )}
        {isImporting && (
          <ImportModelDialog
            onClose={() => setIsImporting(false)}
            onDone={() => {
              setIsImporting(false);
              reload();
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
  return (
    <>
      <ModelGroups
        title={t('models.installed')}
        text={t('models.usage', {
          count: installed.length,
          size: formatBytes(size, locale),
          free: formatBytes(free, locale),
        })}
        models={installed}
        onChanged={onChanged}
      />
      <ModelGroups
        title={t('models.available')}
        models={models.filter((model) => !model.installed)}
        onChanged={onChanged}
      />
    </>
  );
};

type GroupProps = { title: string; text?: string; models: readonly Model[]; onChanged: () => void };

/** The models by what they are used for and by family, as the headings show them. */
const GROUPS = ['whisper', 'english', 'parakeet', 'speakers', 'detector'] as const;

const groupOf = ({ id, kind }: Model): (typeof GROUPS)[number] =>
  kind === 'whisper' && /\.en(?:$|-)/.test(id) ? 'english' : kind;

const ModelGroups = ({ models, onChanged, ...head }: GroupProps) => {
  const { t } = useI18n();
  if (models.length === 0) return null;
  return (
    <Section {...head}>
      {GROUPS.map((group) => {
        const members = byFamily(models.filter((model) => groupOf(model) === group));
        if (members.length === 0) return null;
        return (
          <div key={group} className="mb-5 last:mb-0">
            <h3 className="border-b border-line-2 pb-1.5 text-xs font-semibold text-ink-2">
              {t(`models.group.${group}`)}
            </h3>
            <ul>
              {members.map((model) => (
                <ModelRow key={model.id} model={model} onChanged={onChanged} />
              ))}
            </ul>
          </div>
        );
      })}
    </Section>
  );
};

const ModelRow = ({ model, onChanged }: { model: Model; onChanged: () => void }) => {
  const i18n = useI18n();
  const { t } = i18n;
  const [error, setError] = useState<string>();
  const Icon = model.kind === 'speakers' ? UsersRound : model.kind === 'detector' ? Ear : AudioLines;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line py-3.5 last:border-0 sm:flex-nowrap">
      <Icon size={18} strokeWidth={1.6} className="mt-0.5 text-ink-3" aria-hidden />
      <div className="min-w-0 flex-1 basis-[calc(100%-40px)] sm:basis-0">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-[580]">{model.name}</span>
          {model.in_use && <Tag>{t('welcome.model.chosen')}</Tag>}
          {model.aliases.length > 0 && <Tag>{t('models.answers', { names: model.aliases.join(', ') })}</Tag>}
        </p>
        <p className="mt-0.5 text-ink-2">{describeModel(model, t)}</p>
        <p className="tnum mt-0.5 text-xs text-ink-3">{describeFacts(model, i18n)}</p>
        <ModelStatus model={model} error={error} />
      </div>
      <ModelActions model={model} onChanged={onChanged} onError={setError} />
    </li>
  );
};
