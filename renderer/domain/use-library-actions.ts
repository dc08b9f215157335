import { useMemo } from 'react';
import type { z } from 'zod';
import type { ExportFormat } from '../../electron/contract/exports.ts';
import type { AnalyzeTranscript } from '../../electron/contract/transcript.ts';
import type { UserListItem } from '../../electron/contract/transcript-list.ts';
import { describeError } from '../api/errors.ts';
import { DEFAULT_EXPORT_OPTIONS, fetchExport, saveBlob } from '../api/export.ts';
import { type Services, useApi, useI18n, useServices } from '../hooks/services.tsx';
import type { Translate } from '../i18n/index.ts';
import { stateQuery } from '../stores/library.ts';

/** The number of all, running, stopped and failed transcripts; 0 until it is known. */
export const useTranscriptCounts = () => {
  const processing = useApi('listTranscripts', { query: { ...stateQuery('processing'), limit: 1 } }).data
    ?.data;
  const failed = useApi('listTranscripts', { query: { ...stateQuery('failed'), limit: 1 } }).data?.data;
  const stopped = useApi('listTranscripts', { query: { ...stateQuery('stopped'), limit: 1 } }).data?.data;
  return {
    all: processing?.stats.total_transcriptions ?? 0,
    processing: processing?.pagination.total ?? 0,
    failed: failed?.pagination.total ?? 0,
    stopped: stopped?.pagination.total ?? 0,
  };
};

const UNDO_MS = 6000;

type Analyses = Omit<z.input<typeof AnalyzeTranscript>, 'wait_until_complete'>;
type Row = Pick<UserListItem, 'id' | 'name'>;

/** Calls `work` for each id in turn; returns the number of failures and the last error. */
const runForEach = async (ids: readonly string[], work: (id: string) => Promise<unknown>) => {
  let failures = 0;
  let reason: unknown;
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      failures++;
      reason = error;
    }
  }
  return { failures, reason };
};

const createActions = (services: Services, t: Translate) => {
  const { client, library, toasts } = services;
  const showError = (error: unknown) => toasts.show(describeError(error, t), { tone: 'bad' });

  const showFailures = (failures: number, all: number, reason: unknown) => {
    const text = describeError(reason, t);
    toasts.show(all === 1 ? text : t('library.someFailed', { count: failures, all, reason: text }), {
      tone: 'bad',
    });
  };
  const deleteAll = async (ids: readonly string[]) => {
    const { failures, reason } = await runForEach(ids, (id) =>
      client.call('deleteTranscript', { params: { id } }),
    );
    if (failures > 0) showFailures(failures, ids.length, reason);
    await library.refresh();
    library.unhide(ids);
  };
  /** Summaries are written in the language of their recording. */
  const summaryLanguage = (id: string) => {
    const language = library.find(id)?.language;
    return language === null || language === undefined ? {} : { summary_language: language };
  };

  const changing = new Set<string>();
  /** Does nothing while a change of the same job is on its way, as for the second click of a double click. */
  const changeJob = async (route: 'retryTranscript' | 'cancelTranscript', id: string): Promise<void> => {
    if (changing.has(id)) return;
    changing.add(id);
    try {
      await client.call(route, { params: { id } });
      await library.refresh();
    } catch (error) {
      showError(error);
    } finally {
      changing.delete(id);
    }
  };

  const setName = async ({ id, name: before }: Row, name: string): Promise<boolean> => {
    library.patch(id, { name });
    try {
      await client.call('patchTranscript', { params: { id }, body: { name } });
      return true;
    } catch (error) {
      library.patch(id, { name: before });
      showError(error);
      return false;
    }
  };

  return {
    /** Renames a transcript and offers to undo that. */
    rename: async (item: Row, name: string) => {
      if (!(await setName(item, name))) return;
      toasts.show(t('library.renamed', { name }), {
        milliseconds: UNDO_MS,
        action: { label: t('common.undo'), run: () => void setName({ id: item.id, name }, item.name) },
      });
    },
    retry: (item: Row) => changeJob('retryTranscript', item.id),
    cancel: (item: Row) => changeJob('cancelTranscript', item.id),
    /** Exports each transcript to a file of its own. */
    exportAll: async (ids: readonly string[], format: ExportFormat) => {
      const { failures, reason } = await runForEach(ids, async (id) => {
        const { blob, name } = await fetchExport(client, id, { ...DEFAULT_EXPORT_OPTIONS, format });
        saveBlob(blob, name);
      });
      if (failures > 0) showFailures(failures, ids.length, reason);
    },
    /** Analyzes finished transcripts; unfinished ones count as failures. */
    analyzeAll: async (ids: readonly string[], analyses: Analyses) => {
      const { failures, reason } = await runForEach(ids, (id) =>
        client.call('analyzeTranscript', { params: { id }, body: { ...analyses, ...summaryLanguage(id) } }),
      );
      if (failures > 0) showFailures(failures, ids.length, reason);
      else toasts.show(t('analyzeMany.started', { count: ids.length }));
      await library.refresh();
    },
    /** Hides the rows at once and deletes the transcripts after the time for an undo. */
    remove: (ids: readonly string[]) => {
      library.hide(ids);
      toasts.show(t('library.deleted', { count: ids.length }), {
        milliseconds: UNDO_MS,
        action: { label: t('common.undo'), run: () => library.unhide(ids) },
        onExpire: () => void deleteAll(ids),
      });
    },
  };
};

/** Actions on the transcripts of the library. */
export const useLibraryActions = () => {
  const services = useServices();
  const { t } = useI18n();
  return useMemo(() => createActions(services, t), [services, t]);
};
