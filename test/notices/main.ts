// `npm run notices`: writes THIRD-PARTY-NOTICES.md from the lockfile.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';
import { notices } from './notices.ts';

writeFileSync(join(ROOT, 'THIRD-PARTY-NOTICES.md'), notices());
