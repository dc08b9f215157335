import './styles/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { App, takeToken } from './app/app.tsx';
import { createSession } from './app/session.ts';
import { WindowBoundary } from './domain/error-boundary.tsx';
import { CoreServicesProvider, createCoreServices, resolveLocale } from './hooks/services.tsx';
import { createRouter } from './stores/router.ts';

// The Content-Security-Policy forbids eval, which zod uses for speed.
z.config({ jitless: true });

const STARTING_PAGE_AFTER_MS = 300;

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

const core = createCoreServices(window.location.origin, createRouter(window));
const session = createSession(core);
// Until then the page stays empty: its first content is the library, not a page that says that it starts.
const waited = new Promise((resolve) => setTimeout(resolve, STARTING_PAGE_AFTER_MS));
await Promise.all([
  core.i18n.use(resolveLocale(core.prefs.store.getState().locale)),
  Promise.race([session.open(takeToken()), waited]),
]);

createRoot(root).render(
  <StrictMode>
    <CoreServicesProvider value={core}>
      <WindowBoundary>
        <App session={session} />
      </WindowBoundary>
    </CoreServicesProvider>
  </StrictMode>,
);
