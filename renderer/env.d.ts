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
    /** Set by the desktop app's preload script; absent in a browser. */
    readonly earshot?: { readonly baseUrl: string; readonly token: string };
  }
}
