import type { Outline } from '../../services/transcripts/whole.ts';
import type { Rendered, Rendering } from './rendering.ts';

export type ToRenderingThread = {
  readonly number: number;
  readonly databasePath: string;
  readonly outline: Outline;
  readonly rendering: Rendering;
};

export type FromRenderingThread = { readonly number: number } & (
  | { readonly kind: 'rendered'; readonly rendered: Rendered }
  /** The text is another one than the outline's. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'failed'; readonly error: string }
);
