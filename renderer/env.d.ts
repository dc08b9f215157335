/// <reference types="vite/client" />

interface Window {
  /** Set by the desktop program's preload script; absent in a plain browser. */
  readonly earshot?: { readonly baseUrl: string; readonly token: string };
}

declare namespace React {
  interface CSSProperties {
    /** The colour of a speaker, for everything inside. */
    '--c'?: string;
  }
}
