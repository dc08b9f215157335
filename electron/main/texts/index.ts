import { MENU_TEXTS, type MenuTexts } from './menu.ts';
import { PAGE_TEXTS, type PageTexts } from './pages.ts';
import { STATUS_TEXTS, type StatusTexts } from './status.ts';

/** The words of the desktop program outside of the service's own window. */
export type DesktopTexts = MenuTexts & PageTexts & StatusTexts;

const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;

/** The words in the first supported one of the system's languages, or in English. */
export const desktopTexts = (languages: readonly string[]): DesktopTexts => {
  const wanted = languages.map((language) => language.slice(0, 2).toLowerCase());
  const found = wanted.flatMap((each) => LANGUAGES.filter((language) => language === each))[0] ?? 'en';
  return { ...MENU_TEXTS[found], ...PAGE_TEXTS[found], ...STATUS_TEXTS[found] };
};
