/// <reference types="vite/client" />
import 'react';

declare module 'react' {
  interface CSSProperties {
    /** The colour of a speaker, for everything inside. */
    '--c'?: string;
  }
}

declare global {
  interface Window {
    /** Set by the desktop program's preload script; absent in a plain browser. */
    readonly earshot?: { readonly baseUrl: string; readonly token: string };
  }
}
