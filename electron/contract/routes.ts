import { accountRoutes } from './routes/account.ts';
import { assemblyAiRoutes } from './routes/assemblyai.ts';
import { openAiRoutes } from './routes/openai.ts';
import { realtimeRoutes } from './routes/realtime.ts';
import { storageRoutes } from './routes/storage.ts';
import { systemRoutes } from './routes/system.ts';
import { transcriptRoutes } from './routes/transcripts.ts';
import { vocabularyRoutes } from './routes/vocabulary.ts';
import { voiceRoutes } from './routes/voices.ts';
import { whisperServerRoutes } from './routes/whisper-servers.ts';

/** Every operation of the API by its operation id. */
export const routes = {
  ...transcriptRoutes,
  ...storageRoutes,
  ...accountRoutes,
  ...realtimeRoutes,
  ...voiceRoutes,
  ...vocabularyRoutes,
  ...systemRoutes,
  ...openAiRoutes,
  ...assemblyAiRoutes,
  ...whisperServerRoutes,
} as const;
