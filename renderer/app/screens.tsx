import { Box, CodeXml, Folder, LibraryBig, ListOrdered, type LucideIcon, Settings } from 'lucide-react';
import { type ComponentType, lazy } from 'react';
import { LibraryScreen } from '../features/library/library-screen.tsx';
import type { MessageKey } from '../i18n/index.ts';
import { isScreenName, type ScreenName, type ScreenProps } from '../stores/router.ts';

/** How the navigation and the command palette lead to a screen. */
type NavEntry = {
  readonly icon: LucideIcon;
  readonly label: MessageKey;
  /** The end of the sidebar, below the engine's state. */
  readonly isAtBottom?: boolean;
  /** In the menu at the end of the bar of a narrow window, which has room for few. */
  readonly isWideOnly?: boolean;
};

type Screen = {
  readonly Component: ComponentType<ScreenProps>;
  /** Absent for a screen that other screens lead to. */
  readonly nav?: NavEntry;
};

type Load = () => Promise<{ default: ComponentType<ScreenProps> }>;
const lazyScreen = (load: Load, nav?: NavEntry): Screen => ({ Component: lazy(load), nav });

/**
 * Every screen of the window, in the order of the navigation. A new screen is a component with a default export, its
 * name in `stores/router.ts` and its line here: address, lazy loading, sidebar, bottom bar and command palette follow from that.
 */
export const SCREENS: Readonly<Record<ScreenName, Screen>> = {
  library: { Component: LibraryScreen, nav: { icon: LibraryBig, label: 'nav.library' } },
  queue: lazyScreen(() => import('../features/queue/queue-screen.tsx'), {
    icon: ListOrdered,
    label: 'nav.queue',
    isWideOnly: true,
  }),
  files: lazyScreen(() => import('../features/files/files-screen.tsx'), { icon: Folder, label: 'nav.files' }),
  models: lazyScreen(() => import('../features/models/models-screen.tsx'), {
    icon: Box,
    label: 'nav.models',
  }),
  api: lazyScreen(() => import('../features/api/api-screen.tsx'), {
    icon: CodeXml,
    label: 'nav.api',
    isWideOnly: true,
  }),
  settings: lazyScreen(() => import('../features/settings/settings-screen.tsx'), {
    icon: Settings,
    label: 'nav.settings',
    isAtBottom: true,
    isWideOnly: true,
  }),
  live: lazyScreen(() => import('../features/live/live-screen.tsx')),
  transcript: lazyScreen(() => import('../features/transcript/transcript-screen.tsx')),
};

/** The screens that the navigation leads to, in its order. */
export const NAV_SCREENS = Object.entries(SCREENS).flatMap(([name, { nav }]) =>
  nav !== undefined && isScreenName(name) ? [{ name, ...nav }] : [],
);
export type NavScreen = (typeof NAV_SCREENS)[number];
