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
      /** Calls the listener when a person wants to hear the word at a point of the page; returns a function that stops it. */
      readonly onPlayFrom: (listener: (point: { x: number; y: number }) => void) => () => void;
    };
  }
}
