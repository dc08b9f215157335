/** The request for the running and waiting jobs, which the queue shows and announcements name. */
export const RUNNING_JOBS = ['listTranscripts', { query: { status: 'processing', limit: 100 } }] as const;
