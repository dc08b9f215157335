import { useMemo } from 'react';
import type { ExportFormat, UserListItem } from '../../../electron/contract/transcript.ts';
import { EXPORT_DEFAULTS, fetchExport, saveBlob } from '../../api/export.ts';
import { type Services, useI18n, useServices } from '../../app/services.tsx';
import type { Translate } from '../../i18n/index.ts';
import { errorText } from '../../lib/errors.ts';

const UNDO_MS = 6000;

type Row = Pick<UserListItem, 'id' | 'name'>;

/** Sends the deletions one after the other; gives back how many failed, with the last reason. */
const deleteAll = async ({ client }: Services, ids: readonly string[]) => {
  let failures = 0;
  let reason: unknown;
  for (const id of ids) {
    try {
      await client.call('deleteTranscript', { params: { id } });
    } catch (error) {
      failures++;
      reason = error;
    }
  }
  return { failures, reason };
};

const createActions = (services: Services, t: Translate) => {
  const { client, library, toasts } = services;
  const fail = (error: unknown) => toasts.show(errorText(error, t), { tone: 'bad' });

  return {
    rename: async (item: Row, name: string) => {
      library.patch(item.id, { name });
      try {
        await client.call('patchTranscript', { params: { id: item.id }, body: { name } });
      } catch (error) {
        library.patch(item.id, { name: item.name });
        fail(error);
      }
    },
    retry: async (item: Row) => {
      try {
        await client.call('retryTranscript', { params: { id: item.id } });
        library.refreshNow();
      } catch (error) {
        fail(error);
      }
    },
    cancel: async (item: Row) => {
      try {
        await client.call('cancelTranscript', { params: { id: item.id } });
        library.refreshNow();
      } catch (error) {
        fail(error);
      }
    },
    /** Saves each transcript as a file of its own, one after the other. */
    exportAll: async (ids: readonly string[], format: ExportFormat) => {
      for (const id of ids) {
        try {
          const { blob, name } = await fetchExport(client, id, { ...EXPORT_DEFAULTS, format });
          saveBlob(blob, name);
        } catch (error) {
          fail(error);
        }
      }
    },
    /** Takes the rows away at once and sends the deletion only when the time for an undo is over. */
    remove: (ids: readonly string[]) => {
      let undone = false;
      library.hide(ids);
      toasts.show(t('library.deleted', { count: ids.length }), {
        milliseconds: UNDO_MS,
        action: {
          label: t('common.undo'),
          run: () => {
            undone = true;
            library.unhide(ids);
          },
        },
      });
      setTimeout(async () => {
        if (undone) return;
        const { failures, reason } = await deleteAll(services, ids);
        if (failures > 0) fail(reason);
        library.refreshNow();
        library.unhide(ids);
      }, UNDO_MS);
    },
  };
};

/** What can be done with the transcripts of the list. */
export const useLibraryActions = () => {
  const services = useServices();
  const { t } = useI18n();
  return useMemo(() => createActions(services, t), [services, t]);
};
