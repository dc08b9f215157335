import type { FastifyInstance } from 'fastify';
import type { EventHub } from '../../services/events.ts';
import type { Files } from '../../services/files/create.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import type { TranscriptPages } from '../../services/transcripts/pages.ts';
import { assemblyAiResources } from './assemblyai.ts';
import { openAiResources } from './openai.ts';

type CompatResources = {
  readonly transcripts: TranscriptService;
  readonly pages: TranscriptPages;
  readonly files: Files;
  readonly events: EventHub;
};

/** The forms of other services, for programs that were written for them. */
export const compatResources = async (
  server: FastifyInstance,
  { transcripts, pages, files, events }: CompatResources,
): Promise<void> => {
  await openAiResources(server, { transcripts, files: files.service, events });
  await assemblyAiResources(server, { transcripts, pages, files: files.service, baseUrl: files.baseUrl });
};
