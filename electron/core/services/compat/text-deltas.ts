import type { Segment } from '../../../contract/transcript.ts';
import { joinTexts, separatorBetween } from '../../analysis/document.ts';

/** What to add to a text that a reader has seen the beginning of. */
export class TextDeltas {
  #seen = '';

  /** The part that newly recognised segments add. */
  add(segments: readonly Pick<Segment, 'text'>[]): string {
    return this.#append(joinTexts(segments.map((segment) => segment.text)));
  }

  /** What is still missing of the finished text; nothing where it became another one. */
  rest(text: string): string {
    return text.startsWith(this.#seen) ? this.#append(text.slice(this.#seen.length).trimStart()) : '';
  }

  #append(text: string): string {
    if (text === '') return '';
    const delta = separatorBetween(this.#seen, text) + text;
    this.#seen += delta;
    return delta;
  }
}
