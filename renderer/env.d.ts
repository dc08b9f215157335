/// <reference types="vite/client" />
import 'react';

declare module 'react' {
  interface CSSProperties {
    /** Speaker color of an element's content. */
    '--c'?: string;
    /** What screen readers say after an uncertain word, as a CSS string. */
    '--uncertain'?: string;
  }
}

declare global {
  interface Window {
    /** Set by the desktop program's preload script; absent in a browser. */
    readonly earshot?: {
      /** Asks the program for an action, from its own pages only. */
      readonly ask: (action: string) => void;
      /** A one-time token for a session, as often as it is asked for; undefined without a service. */
      readonly token: () => Promise<string | undefined>;
      /**
       * Calls the listener with each place that the program is asked to open, also those from before: only a window that is
       * signed in listens. Returns a function that stops it.
       */
      readonly onPlace: (listener: (place: string) => void) => () => void;
      /** Native parts, such as the menu and the next window's ground, follow the theme of the page. */
      readonly setTheme: (theme: 'system' | 'light' | 'dark') => void;
      /** Keeps the window above all others, for a text that is read from across a room. */
      readonly setOnTop: (isOn: boolean) => void;
      /** The program asks before it closes a window that records. */
      readonly setRecording: (isOn: boolean) => void;
      /** The program asks before it closes a window that uploads files. */
      readonly setUploading: (isOn: boolean) => void;
      /** Called before the window is closed in a recording; returns a function that stops it. */
      readonly onSaveRecording: (save: () => Promise<void>) => () => void;
      /** Calls the listener when a person wants to hear the word at a point of the page; returns a function that stops it. */
      readonly onPlayFrom: (listener: (point: { x: number; y: number }) => void) => () => void;
    };
  }
}
