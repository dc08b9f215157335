import { accountRoutes } from './routes/account.ts';
import { compatRoutes } from './routes/compat.ts';
import { storageRoutes } from './routes/storage.ts';
import { systemRoutes } from './routes/system.ts';
import { transcriptRoutes } from './routes/transcripts.ts';

/** Every operation of the API by its operation id. */
export const routes = {
  ...transcriptRoutes,
  ...storageRoutes,
  ...accountRoutes,
  ...systemRoutes,
  ...compatRoutes,
} as const;
