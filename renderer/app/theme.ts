import { useEffect } from 'react';
import type { Prefs } from '../stores/prefs.ts';
import { useBasics, usePrefs, wantedLocale } from './services.tsx';

const DARK = '(prefers-color-scheme: dark)';

const paint = (theme: Prefs['theme']) => {
  const dark = theme === 'system' ? matchMedia(DARK).matches : theme === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
};

/** Keeps the document's theme, text size and language as the preferences say, and follows the system. */
export const useAppearance = () => {
  const { i18n } = useBasics();
  const theme = usePrefs((prefs) => prefs.theme);
  const textScale = usePrefs((prefs) => prefs.textScale);
  const locale = usePrefs((prefs) => prefs.locale);

  useEffect(() => {
    paint(theme);
    const media = matchMedia(DARK);
    const follow = () => paint(theme);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, [theme]);

  useEffect(() => {
    document.documentElement.style.setProperty('--text-scale', String(textScale));
  }, [textScale]);

  useEffect(() => {
    void i18n.use(wantedLocale(locale));
  }, [i18n, locale]);
};
