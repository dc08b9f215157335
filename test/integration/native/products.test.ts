import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testWhisperCli } from '../../support/addon.ts';

/** What native/test/products_check.cc prints. */
const Check = z.object({
  amx: z.boolean(),
  right: z.boolean(),
  wrong: z.boolean(),
  f16: z.object({ few: z.number(), many: z.number() }),
  q8_0: z.object({ few: z.number(), many: z.number() }),
  attention: z.object({ many: z.number(), few: z.number(), steep: z.number() }),
  bands: z.boolean(),
  probabilities: z.number(),
  token: z.object({ equal: z.boolean(), sleeps: z.number() }),
});

let program: string;

beforeAll(async () => {
  program = join(dirname(await testWhisperCli()), 'products-check');
}, 900_000);

const run = (threads: number, environment: Record<string, string>) => {
  const output = execFileSync(program, [String(threads)], { env: environment, encoding: 'utf8' });
  return Check.parse(JSON.parse(output));
};

const done = new Map<string, z.infer<typeof Check>>();

/** One run with the same threads and environment serves all tests. */
const check = (threads: number, environment: Record<string, string> = {}) => {
  const key = JSON.stringify([threads, environment]);
  const result = done.get(key) ?? run(threads, environment);
  done.set(key, result);
  return result;
};

const hasFeature = (pattern: RegExp): boolean =>
  process.platform === 'linux' && pattern.test(readFileSync('/proc/cpuinfo', 'utf8'));

const hasAmx = (): boolean => hasFeature(/\bamx_bf16\b/);

describe.each([1, 3])('products and attention with %i threads', (threads) => {
  it('are as exact with AMX as without it, for rows, columns and depths that do not fill its tiles', () => {
    const { f16, q8_0, attention } = check(threads);
    // If AVX-512 is missing, ggml rounds columns and scores to half precision.
    expect(Math.max(f16.few, f16.many, attention.many)).toBeLessThan(1e-3);
    expect(Math.max(q8_0.few, q8_0.many)).toBeLessThan(0.008);
  });

  // If AMX is missing the other test shows the same for several threads.
  if (threads === 1)
    it('leave AMX out where it is switched off', () => {
      const { amx, f16, q8_0, attention } = check(threads, { EARSHOT_NO_AMX: '1' });
      expect(amx).toBe(false);
      expect(Math.max(f16.few, f16.many, attention.many)).toBeLessThan(1e-3);
      expect(Math.max(q8_0.few, q8_0.many)).toBeLessThan(0.008);
    });
});

describe('attention by vectors', () => {
  // Elsewhere ggml rounds queries and scores to half precision.
  it.runIf(hasFeature(/\bavx2\b/))('is exact for a few rows, and for scores far apart', () => {
    const { attention } = check(1, { EARSHOT_NO_AMX: '1' });
    expect(attention.few).toBeLessThan(1e-6);
    expect(attention.steep).toBeLessThan(1e-5);
  });
});

describe('what whisper.cpp computes outside of ggml', () => {
  it('has the bits of its own log-mel spectrogram, for frames that are there in part', () => {
    expect(check(1).bands).toBe(true);
  });

  it('has exact log probabilities, whatever their number', () => {
    expect(check(1).probabilities).toBeLessThan(2e-6);
  });
});

describe("a token's graph", () => {
  it('has the bits of one thread with more of them', () => {
    expect(check(3).token.equal).toBe(true);
  });

  // Packed weights are what threads share.
  it.runIf(hasFeature(/\bavx2\b/))('makes threads on a single core hardly wait for each other', () => {
    // Per layer of seven barriers, two of the three threads sleep at each: 14.
    expect(check(3).token.sleeps).toBeLessThan(4);
  });
});

describe("AMX's self-test", () => {
  it('accepts whole tiles and refuses those that lose rows, and AMX is used on no other processor', () => {
    const { amx, right, wrong, f16, q8_0, attention } = check(1);
    expect({ right, wrong }).toEqual({ right: true, wrong: false });
    if (!hasAmx()) expect(amx).toBe(false);
    if (amx) expect(Math.max(f16.many, q8_0.many, attention.many)).toBeLessThan(1e-5);
  });
});
