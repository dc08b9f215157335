import { useApi } from '../hooks/use-api.ts';

/** The number of all, running and failed transcripts; 0 until it is known. */
export const useTranscriptCounts = () => {
  const processing = useApi('listTranscripts', { query: { status: 'processing', limit: 1 } }).data?.data;
  const failed = useApi('listTranscripts', { query: { status: 'failed', limit: 1 } }).data?.data;
  return {
    all: processing?.stats.total_transcriptions ?? 0,
    processing: processing?.pagination.total ?? 0,
    failed: failed?.pagination.total ?? 0,
  };
};
