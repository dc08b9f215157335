import { describeError } from '../api/errors.ts';
import { invalidate } from '../api/queries.ts';
import type { Services } from '../hooks/services.tsx';
import type { KeptUpload } from '../stores/uploads.ts';

const resume = async (
  { uploads, client, queries, library, toasts, i18n }: Services,
  { file, ...destination }: KeptUpload,
): Promise<void> => {
  // The list of uploads shows why one failed.
  const key = await uploads.send(file, destination).catch(() => undefined);
  if (key === undefined) return;
  if (destination.request === undefined) return invalidate(queries, ['listFiles']);
  try {
    const body = { ...destination.request, audio_url: `storage:${key}` };
    await uploads.listWhile(file.name, client.call('createTranscript', { body }));
    await library.refresh();
  } catch (error) {
    toasts.show(`${file.name}: ${describeError(error, i18n.store.getState().t)}`, { tone: 'bad' });
  }
};

/** Sends what the page before did not end, where the browser has kept its file, and transcribes it as was asked. */
export const resumeUploads = async (services: Services): Promise<void> => {
  for (const kept of await services.uploads.takeKept()) void resume(services, kept);
};
