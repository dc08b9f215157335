import { useCallback, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { invalidateOnEvents } from '../api/queries.ts';
import { forgetSession, openSession, placeFromHash, tokenFromHash } from '../api/session.ts';
import { isDamagedLibrary } from '../lib/errors.ts';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { DamagedLibraryPage, hasDamagedLibrary } from './damaged-library.tsx';
import { createServices, type Services, ServicesProvider, useCoreServices } from './services.tsx';
import { SignInPage, StartingPage, UnreachablePage } from './session-pages.tsx';
import { Shell } from './shell.tsx';
import { ToastList } from './toast-list.tsx';
import { useAppearance } from './use-appearance.ts';

type Session =
  | { readonly state: 'starting' }
  | { readonly state: 'unreachable' }
  | { readonly state: 'damaged' }
  | { readonly state: 'signed-out'; readonly hadLink: boolean }
  | { readonly state: 'signed-in'; readonly services: Services };

/** Removes the one-time token from the address bar and the history, and goes where the link leads. */
const goToPlace = (): void => {
  history.replaceState(null, '', placeFromHash(window.location.hash));
  // Replacing the address tells nobody.
  window.dispatchEvent(new HashChangeEvent('hashchange'));
};

const takeTokenFromAddress = (): string | undefined => {
  const token = tokenFromHash(window.location.hash);
  if (window.location.hash.startsWith('#token=')) goToPlace();
  return token;
};

const useSession = () => {
  const core = useCoreServices();
  const [session, setSession] = useState<Session>({ state: 'starting' });

  const open = useCallback(
    async (token: string | undefined) => {
      try {
        const key = await openSession({ baseUrl: core.baseUrl, token, storage: sessionStorage });
        if (key !== undefined) setSession({ state: 'signed-in', services: createServices(core, key) });
        // A library that does not open knows no key.
        else if (await hasDamagedLibrary(core.baseUrl)) setSession({ state: 'damaged' });
        else setSession({ state: 'signed-out', hadLink: token !== undefined });
      } catch (error) {
        if (isDamagedLibrary(error)) {
          setSession({ state: 'damaged' });
          return;
        }
        console.warn('The server could not be reached.', error);
        setSession({ state: 'unreachable' });
      }
    },
    [core],
  );

  // The token works once, and React's strict mode runs effects twice.
  const [token] = useState(takeTokenFromAddress);
  const [started, setStarted] = useState(false);
  useEffect(() => {
    if (started) return;
    setStarted(true);
    void open(token);
  }, [open, started, token]);

  // A new link opened in this tab changes nothing but the hash, which loads no page.
  useEffect(() => {
    const openLink = () => {
      const next = tokenFromHash(window.location.hash);
      if (next === undefined) return;
      goToPlace();
      void open(next);
    };
    window.addEventListener('hashchange', openLink);
    return () => window.removeEventListener('hashchange', openLink);
  }, [open]);

  return { session, open, signOut: () => setSession({ state: 'signed-out', hadLink: false }) };
};

export const App = () => {
  useAppearance();
  const { session, open, signOut } = useSession();
  return (
    <TooltipProvider>
      {session.state === 'starting' && <StartingPage />}
      {session.state === 'unreachable' && <UnreachablePage onRetry={() => void open(undefined)} />}
      {session.state === 'damaged' && <DamagedLibraryPage onRetry={() => void open(undefined)} />}
      {session.state === 'signed-out' && (
        <SignInPage hadLink={session.hadLink} onSignedIn={() => void open(undefined)} />
      )}
      {session.state === 'signed-in' && (
        <ServicesProvider value={session.services}>
          <SignedIn services={session.services} onSignOut={signOut} />
        </ServicesProvider>
      )}
      <ToastList />
    </TooltipProvider>
  );
};

/** Follows the server's events while signed in; signs out when the key stops working. */
const SignedIn = ({ services, onSignOut }: { services: Services; onSignOut: () => void }) => {
  const { live, queries } = services;
  const connection = useStore(live.store, (state) => state.connection);

  useEffect(() => {
    const stopListening = invalidateOnEvents(queries, live);
    live.start();
    return () => {
      stopListening();
      live.stop();
    };
  }, [live, queries]);

  useEffect(() => {
    if (connection !== 'ended') return;
    forgetSession(sessionStorage);
    onSignOut();
  }, [connection, onSignOut]);

  return <Shell />;
};
