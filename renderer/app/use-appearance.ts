import { useEffect } from 'react';
import { resolveLocale, useCoreServices, usePrefs } from '../hooks/services.tsx';
import type { Prefs } from '../stores/prefs.ts';

const applyTheme = (theme: Prefs['theme']) => {
  const dark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
};

/** Applies the preferences for theme, text size and language to the document. theme.js follows the system's theme. */
export const useAppearance = () => {
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
