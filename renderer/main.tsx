import './styles/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { App } from './app/app.tsx';
import { PageBoundary } from './app/error-boundary.tsx';
import { isScreenName } from './app/screens.tsx';
import { CoreServicesProvider, createCoreServices, resolveLocale } from './app/services.tsx';
import { createRouter } from './stores/router.ts';

// The Content-Security-Policy forbids eval, which zod uses for speed.
z.config({ jitless: true });

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

const core = createCoreServices(window.location.origin, createRouter(window, isScreenName));
await core.i18n.use(resolveLocale(core.prefs.store.getState().locale));

createRoot(root).render(
  <StrictMode>
    <CoreServicesProvider value={core}>
      <PageBoundary>
        <App />
      </PageBoundary>
    </CoreServicesProvider>
  </StrictMode>,
);
