import { useStore } from 'zustand';
import { describeError } from '../api/errors.ts';
import { useI18n, useServices } from '../hooks/services.tsx';

/** Why the last live session could not go on, as a sentence; undefined if it could. */
export const useLiveFailure = (): string | undefined => {
  const { liveSession } = useServices();
  const { t } = useI18n();
  const failure = useStore(liveSession.store, (each) => each.failure);
  if (failure === undefined) return undefined;
  if (failure === 'microphone') return t('record.failed');
  return failure === 'unreachable' ? t('live.unreachable') : describeError(failure, t);
};
