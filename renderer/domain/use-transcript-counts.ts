import { useApi } from '../hooks/use-api.ts';
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
