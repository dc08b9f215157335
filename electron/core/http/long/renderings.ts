import type { FastifyReply } from 'fastify';
import type { TranscriptForm, TranscriptService } from '../../services/transcripts/index.ts';
import type { Outline } from '../../services/transcripts/whole.ts';
import { type Rendered, type Rendering, render as renderHere } from './rendering.ts';
import { RenderingThread } from './thread-client.ts';

/** How often a text may change between the outline and the thread's reading before it is read here. */
const MAX_CHANGES = 3;
/** Characters of a text, of 40 and 15 minutes of speech, up to which an answer takes less than a thread's detour. */
const MAX_SHORT = { transcription: 40_000, others: 15_000 } as const;
/** The same of a running job, whose text is not known yet: segments. */
const MAX_SHORT_SEGMENTS = 400;

type Options = {
  readonly transcripts: TranscriptService;
  readonly databasePath: string;
  /** The thread's file in a bundled program; default: its source. */
  readonly thread?: URL | undefined;
};

const FORMS: Partial<Record<Rendering['kind'], TranscriptForm>> = {
  transcription: 'asked',
  webhook: 'delivered',
  openAi: 'asked',
  openAiStreamEnd: 'asked',
  aaiTranscript: 'words',
};
const formOf = ({ kind }: Rendering): TranscriptForm => FORMS[kind] ?? 'finished';

const isShort = ({ transcription, savedSegments }: Outline, { kind }: Rendering): boolean =>
  transcription.text.length <= MAX_SHORT[kind === 'transcription' ? kind : 'others'] &&
  savedSegments <= MAX_SHORT_SEGMENTS;

export const sendRendered = async (reply: FastifyReply, { headers, body }: Rendered): Promise<void> => {
  await reply
    .headers(headers)
    .send(typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength));
};

/** Answers that are made of whole transcriptions: those of long ones in a thread, so that no other request waits. */
export class Renderings {
  readonly #options: Options;
  readonly #thread: RenderingThread;

  constructor(options: Options) {
    this.#options = options;
    this.#thread = new RenderingThread(options.databasePath, options.thread);
  }

  /** Sends an answer made of the user's transcription. Throws what `TranscriptService.outline` throws. */
  async send(reply: FastifyReply, userId: string, id: string, rendering: Rendering): Promise<void> {
    await sendRendered(reply, await this.render(userId, id, rendering));
  }

  /** The text of an answer that is to become part of another one. Throws what `TranscriptService.outline` throws. */
  async text(userId: string, id: string, rendering: Rendering): Promise<string> {
    const { body } = await this.render(userId, id, rendering);
    return Buffer.from(body).toString();
  }

  /**
   * What is sent later than it is asked for: words that were redacted meanwhile are not in it. Throws what
   * `TranscriptService.outline` throws.
   */
  async current(userId: string, id: string, rendering: Rendering): Promise<Rendered> {
    const { transcripts } = this.#options;
    const textNow = () => transcripts.outline(userId, id, 'asked').transcription.text;
    for (;;) {
      const text = textNow();
      const rendered = await this.render(userId, id, rendering);
      if (text === textNow()) return rendered;
    }
  }

  /** Ends the thread; answers that it owes fail. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  /** Throws what `TranscriptService.outline` throws. */
  async render(userId: string, id: string, rendering: Rendering): Promise<Rendered> {
    const { transcripts } = this.#options;
    const form = formOf(rendering);
    for (let changes = 0; changes < MAX_CHANGES; changes++) {
      const outline = transcripts.outline(userId, id, form);
      if (isShort(outline, rendering)) break;
      const answer = await this.#thread.render(outline, rendering);
      if (answer.kind === 'rendered') return answer.rendered;
      if (answer.kind === 'failed') throw new Error(answer.error);
    }
    return renderHere(rendering, transcripts.whole(userId, id, form));
  }
}
