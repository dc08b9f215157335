import { useEffect } from 'react';
import { useStore } from 'zustand';
import { placeFromHash, rememberOpenCommand, tokenFromHash } from '../api/session.ts';
import {
  resolveLocale,
  type Services,
  ServicesProvider,
  useApi,
  useCoreServices,
  usePrefs,
} from '../hooks/services.tsx';
import type { Prefs } from '../stores/prefs.ts';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { DamagedLibraryPage } from './damaged-library.tsx';
import type { Session } from './session.ts';
import { SignInPage, StartingPage, UnreachablePage } from './session-pages.tsx';
import { Shell } from './shell.tsx';
import { ToastList } from './toast-list.tsx';

const applyTheme = (theme: Prefs['theme']) => {
  const dark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
};

/** Applies the preferences for theme, text size and language to the document. theme.js follows the system's theme. */
const useAppearance = () => {
  const { i18n } = useCoreServices();
  const theme = usePrefs((prefs) => prefs.theme);
  const textScale = usePrefs((prefs) => prefs.textScale);
  const locale = usePrefs((prefs) => prefs.locale);

  useEffect(() => {
    applyTheme(theme);
    window.earshot?.setTheme(theme);
  }, [theme]);

  useEffect(() => {
    document.documentElement.style.setProperty('--text-scale', String(textScale));
  }, [textScale]);

  useEffect(() => {
    void i18n.use(resolveLocale(locale));
  }, [i18n, locale]);
};

/** The one-time token of the address, which leaves the address bar and the history for the place that the link leads to. */
export const takeToken = (): string | undefined => {
  const token = tokenFromHash(window.location.hash);
  if (window.location.hash.startsWith('#token=')) {
    history.replaceState(null, '', placeFromHash(window.location.hash, localStorage));
    // Replacing the address tells no one.
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  }
  return token;
};

export const App = ({ session }: { session: Session }) => {
  useAppearance();
  const current = useStore(session.store);
  // A new link opened in this tab changes nothing but the hash, which loads no page.
  useEffect(() => {
    const openLink = () => {
      const token = takeToken();
      if (token !== undefined) void session.open(token);
    };
    window.addEventListener('hashchange', openLink);
    return () => window.removeEventListener('hashchange', openLink);
  }, [session]);
  const open = () => void session.open();
  return (
    <TooltipProvider>
      {current.state === 'starting' && <StartingPage />}
      {current.state === 'unreachable' && <UnreachablePage onRetry={open} />}
      {current.state === 'damaged' && <DamagedLibraryPage onRetry={open} />}
      {current.state === 'signed-out' && <SignInPage hadLink={current.hadLink} onSignedIn={open} />}
      {current.state === 'signed-in' && (
        <ServicesProvider value={current.services}>
          <SignedIn services={current.services} onKeyRejected={session.signOut} />
        </ServicesProvider>
      )}
      <ToastList />
    </TooltipProvider>
  );
};

/** Signs out when the key stops working, and notes how the window is opened again then. */
const SignedIn = ({ services, onKeyRejected }: { services: Services; onKeyRejected: () => void }) => {
  const connection = useStore(services.live.store, (state) => state.connection);
  const command = useApi('system').data?.data.open_command;
  useEffect(() => {
    if (command !== undefined) rememberOpenCommand(command, localStorage);
  }, [command]);
  useEffect(() => {
    if (connection === 'ended') onKeyRejected();
  }, [connection, onKeyRejected]);
  return <Shell />;
};
