import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import { AnalysisThreads } from '../../../electron/core/analysis/analyze-in-thread.ts';
import { sentencesOf } from '../../support/sentences-of.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { readDialogues } from '../../unit/analysis/support/corpus.ts';
import { transcriptOf } from '../../unit/analysis/support/transcripts.ts';

const ALL = {
  entity_detection: true,
  redact_pii: true,
  topics: true,
  summarization: true,
  content_safety: true,
};
// Some of them: what each yields is tested without threads.
const lines = readDialogues('dialogues.txt')
  .slice(0, 3)
  .flatMap((dialogue) => dialogue.lines);
const transcript = transcriptOf(lines);

describe('AnalysisThreads', () => {
  const threads = new AnalysisThreads();

  it('gives the same as analyze, and reports progress up to the end', async () => {
    const shares: number[] = [];
    const onProgress = (share: number) => shares.push(share);
    const threaded = await threads.analyze(transcript, ALL, { secret: 'x', onProgress });
    expect(threaded).toEqual(await analyze(transcript, ALL, { secret: 'x' }));
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  it("asks the caller's summarizer", async () => {
    const summarizer = { summarize: async () => [{ text: 'All is said.', sentence_ids: [1] }] };
    const { summary } = await threads.analyze(
      transcript,
      { summarization: true },
      { secret: 'x', summarizer },
    );
    expect(summary).toMatchObject({ text: '• All is said.', engine: 'local_llm' });
    const failing = { summarize: async () => Promise.reject(new Error('no model')) };
    const { summary: other, warnings } = await threads.analyze(
      transcript,
      { summarization: true },
      { secret: 'x', summarizer: failing },
    );
    expect(other?.engine).toBe('extractive');
    expect(sentencesOf(warnings).join()).toContain('no model');
  });

  it('analyzes several texts at once and one after the other, each with its own segments', async () => {
    const short = (name: string) => transcriptOf([`${name} lives in Paris.`, `Call ${name} tomorrow.`]);
    const asked = { redact_pii: true, entity_detection: true };
    const names = ['Maria Lopez', 'Peter Walker'];
    const expected = await Promise.all(names.map((name) => analyze(short(name), asked, { secret: 'x' })));
    const work = (name: string) => threads.analyze(short(name), asked, { secret: 'x' });
    expect(await Promise.all(names.map(work))).toEqual(expected);
    const made = [];
    for (const name of names) made.push(await work(name));
    expect(made).toEqual(expected);
  });

  it('goes on with a new thread after one was aborted', async () => {
    const controller = new AbortController();
    const asked = { entity_detection: true };
    const aborted = threads.analyze(transcript, ALL, { secret: 'x', signal: controller.signal });
    controller.abort(new Error('stopped'));
    const next = threads.analyze(transcriptOf(['Maria Lopez lives in Paris.']), asked, { secret: 'x' });
    await expect(aborted).rejects.toThrow('stopped');
    expect((await next).entities?.length).toBeGreaterThan(1);
  });

  it('ends when it is aborted, before the text is analyzed', async () => {
    const controller = new AbortController();
    const shares: number[] = [];
    const work = threads.analyze(transcript, ALL, {
      secret: 'x',
      signal: controller.signal,
      onProgress: (share) => {
        shares.push(share);
        controller.abort(new Error('stopped'));
      },
    });
    await expect(work).rejects.toThrow('stopped');
    expect(shares).toHaveLength(1);
    expect(shares[0]).toBeLessThan(1);
  });

  it('asks for each batch of segments by itself', async () => {
    const entry = join(temporaryFolder(), 'thread.mjs');
    const real = new URL('../../../electron/core/analysis/analysis-thread.ts', import.meta.url);
    writeFileSync(
      entry,
      `import { parentPort } from 'node:worker_threads';
       const post = parentPort.postMessage.bind(parentPort);
       let isAsked = true;
       parentPort.on('message', ({ kind }) => { isAsked ||= kind === 'next'; });
       parentPort.postMessage = (message) => {
         if (message.kind === 'segments' && !isAsked) post({ kind: 'failed', error: 'nobody asked' });
         isAsked &&= message.kind !== 'segments';
         post(message);
       };
       await import(${JSON.stringify(real)});`,
    );
    // Many segments with little in them to analyze.
    const long = transcriptOf(Array.from({ length: 260 }, (_, index) => `Maria has ${index}.`));
    const asked = { redact_pii: true };
    const work = new AnalysisThreads(pathToFileURL(entry)).analyze(long, asked, { secret: 'x' });
    const { segments = [] } = (await work).redacted ?? {};
    expect(segments.length).toBeGreaterThan(200);
  });

  it('rejects when the thread sends what is not part of the protocol', async () => {
    const entry = join(temporaryFolder(), 'thread.mjs');
    writeFileSync(
      entry,
      `import { parentPort } from 'node:worker_threads';
       parentPort.once('message', () => parentPort.postMessage({ kind: 'result', result: 'all' }));`,
    );
    const work = new AnalysisThreads(pathToFileURL(entry)).analyze(transcript, ALL, { secret: 'x' });
    await expect(work).rejects.toThrow('not part of the protocol');
  });

  it('rejects when the thread cannot start', async () => {
    const entry = new URL('../../unit/analysis/no-such-thread.ts', import.meta.url);
    await expect(new AnalysisThreads(entry).analyze(transcript, ALL, { secret: 'x' })).rejects.toThrow();
  });
});
