import { useCallback, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { forgetSession, openSession, tokenFromHash } from '../api/session.ts';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { createServices, type Services, ServicesProvider, useCoreServices } from './services.tsx';
import { SignInPage, StartingPage, UnreachablePage } from './session-pages.tsx';
import { Shell } from './shell.tsx';
import { ToastList } from './toast-list.tsx';
import { useAppearance } from './use-appearance.ts';

type SessionState =
  | { readonly state: 'opening' }
  | { readonly state: 'unreachable' }
  | { readonly state: 'closed' }
  | { readonly state: 'open'; readonly services: Services };

/** Reads the one-time token and removes it from the address bar and the history. */
const takeToken = (): string | undefined => {
  const token = tokenFromHash(window.location.hash) ?? window.earshot?.token;
  if (window.location.hash.startsWith('#token=')) history.replaceState(null, '', '#/');
  return token;
};

const useSession = () => {
  const basics = useCoreServices();
  const [gate, setGate] = useState<SessionState>({ state: 'opening' });

  const open = useCallback(
    async (token: string | undefined) => {
      try {
        const session = await openSession({ baseUrl: basics.baseUrl, token, store: sessionStorage });
        setGate(
          session.state === 'ready'
            ? { state: 'open', services: createServices(basics, session.key) }
            : { state: 'closed' },
        );
      } catch (error) {
        console.warn('The server could not be reached.', error);
        setGate({ state: 'unreachable' });
      }
    },
    [basics],
  );

  // The token works once, and React's strict mode runs effects twice.
  const [token] = useState(takeToken);
  const [started, setStarted] = useState(false);
  useEffect(() => {
    if (started) return;
    setStarted(true);
    void open(token);
  }, [open, started, token]);

  return { gate, open, setGate };
};

export const App = () => {
  useAppearance();
  const { gate, open, setGate } = useSession();
  return (
    <TooltipProvider>
      {gate.state === 'opening' && <StartingPage />}
      {gate.state === 'unreachable' && <UnreachablePage onRetry={() => void open(undefined)} />}
      {gate.state === 'closed' && <SignInPage onSignedIn={() => void open(undefined)} />}
      {gate.state === 'open' && (
        <ServicesProvider value={gate.services}>
          <SignedIn services={gate.services} onEnd={() => setGate({ state: 'closed' })} />
        </ServicesProvider>
      )}
      <ToastList />
    </TooltipProvider>
  );
};

/** Follows the server's events while signed in; signs out when the key stops working. */
const SignedIn = ({ services, onEnd }: { services: Services; onEnd: () => void }) => {
  const { live, library } = services;
  const connection = useStore(live.store, (state) => state.connection);

  useEffect(() => {
    const stop = live.listen((event) => {
      if (event.type.startsWith('transcript.') && event.type !== 'transcript.progress') library.refresh();
    });
    live.start();
    library.refreshNow();
    return () => {
      stop();
      live.stop();
    };
  }, [live, library]);

  useEffect(() => {
    if (connection !== 'ended') return;
    forgetSession(sessionStorage);
    onEnd();
  }, [connection, onEnd]);

  return <Shell />;
};
