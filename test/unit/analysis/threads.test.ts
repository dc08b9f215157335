import { expect, it } from 'vitest';
import { AnalysisThreads } from '../../../electron/core/analysis/analyze-in-thread.ts';
import { transcriptOf } from './support/transcripts.ts';

const OPTIONS = { redact_pii: true, redact_pii_sub: 'entity_name' } as const;

it('is terminated in the middle of a long text, and analyzes the next one in a new thread', async () => {
  const threads = new AnalysisThreads();
  const sentences = Array.from({ length: 6000 }, (_, at) => `Call Maria Lopez at 555-014-${2000 + at}.`);
  const controller = new AbortController();
  const shares: number[] = [];
  const running = threads.analyze(transcriptOf(sentences), OPTIONS, {
    secret: 'x',
    signal: controller.signal,
    onProgress: (share) => {
      shares.push(share);
      controller.abort('cancelled');
    },
  });
  // Rejects once the thread has ended.
  await expect(running).rejects.toBe('cancelled');
  expect(shares).not.toContain(1);
  const { redacted } = await threads.analyze(transcriptOf(['My name is Maria Lopez.']), OPTIONS, {
    secret: 'x',
  });
  expect(redacted?.text).toBe('My name is [PERSON_NAME].');
});
