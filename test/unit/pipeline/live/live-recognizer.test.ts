import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../support/fake-clock.ts';
import { createRandom } from '../../../support/random.ts';
import { engineCrash, HearingEngine, recognizerOf, speak, spoken, wordOf } from './spoken.ts';

const numbers = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

describe('LiveRecognizer', () => {
  it('commits each word once and in order, with its time, and ends a turn at each pause', async () => {
    const { texts, committed, events } = await speak([-1, ...numbers(12), -1, -1, ...numbers(5, 12), -1]);
    expect(texts).toEqual(numbers(17).map(wordOf));
    for (const [index, word] of committed.entries()) {
      expect(word.start).toBeCloseTo((index < 12 ? 1 : 3) + 0.4 * index, 1);
    }
    const turns = events.flatMap((event) => (event.type === 'turn' ? [event] : []));
    expect(turns.map(({ words }) => words.length)).toEqual([12, 5]);
    expect(turns[0]?.start).toBeCloseTo(1, 1);
    expect(events.filter(({ type }) => type === 'speech')).toHaveLength(2);
  });

  it('commits words while the speech goes on, and has the newest tentative', async () => {
    const { events } = await speak([...numbers(20), -1]);
    const turn = events.findIndex(({ type }) => type === 'turn');
    const before = events.slice(0, turn).filter(({ type }) => type === 'committed');
    expect(before.length).toBeGreaterThan(2);
    const tentative = events.flatMap((event) => (event.type === 'tentative' ? event.words : []));
    expect(tentative.length).toBeGreaterThan(0);
    expect(events.findLast(({ type }) => type === 'tentative')).toEqual({ type: 'tentative', words: [] });
  });

  it('hears the same words however the audio is divided, and whatever the pauses are', async () => {
    const random = createRandom(7);
    for (let round = 0; round < 8; round++) {
      const words = numbers(40);
      const parts = words.flatMap((word) => {
        const pause = random.next() < 0.2 ? [-random.int(10, 210) / 100] : [];
        return [word, ...pause];
      });
      const blockSeconds = 0.02 + random.next();
      const { texts } = await speak(parts, { blockSeconds });
      expect(texts, JSON.stringify({ parts, blockSeconds })).toEqual(words.map(wordOf));
    }
  });

  it('decodes a growing region quickly, and a closed one as a file', async () => {
    const { engine } = await speak([...numbers(10), -1]);
    const last = engine.requests.at(-1)?.params;
    expect(last).toMatchObject({ beamSize: 5, temperatureIncrement: 0.2 });
    expect(last).not.toHaveProperty('audioContext');
    const drafts = engine.requests.slice(0, -1);
    expect(drafts.length).toBeGreaterThan(1);
    for (const { params } of drafts) expect(params).toMatchObject({ beamSize: 1, temperatureIncrement: 0 });
  });

  it('hears no word in silence, and asks the recognizer for none', async () => {
    const { events, engine } = await speak(numbers(60).map(() => -1));
    expect(events).toEqual([]);
    expect(engine.requests).toEqual([]);
  });

  it('goes on through speech without any pause, in audio that the model can take at once', async () => {
    const { texts, engine } = await speak(numbers(120));
    expect(texts).toEqual(numbers(120).map(wordOf));
    for (const { pcm } of engine.requests) expect(pcm.length).toBeLessThanOrEqual(30 * 16_000);
  });

  it('decodes anew behind a short pause, so that its steps do not grow', async () => {
    const sentence = [...numbers(8), -0.3];
    const parts = [0, 1, 2, 3, 4, 5].flatMap((index) =>
      sentence.map((part) => (part < 0 ? part : part + 8 * index)),
    );
    const { texts, engine } = await speak(parts);
    expect(texts).toEqual(numbers(48).map(wordOf));
    for (const { pcm } of engine.requests) expect(pcm.length).toBeLessThanOrEqual(16 * 16_000);
  });

  it('takes longer steps on a slow machine, says when it falls behind, and loses nothing', async () => {
    const clock = new FakeClock();
    const engine = new HearingEngine(() => new Promise((done) => void clock.schedule(12_000, done)));
    const { texts, events } = await speak([...numbers(150), -1], { engine, clock });
    expect(texts).toEqual(numbers(150).map(wordOf));
    const behind = events.flatMap((event) => (event.type === 'behind' ? [event.seconds] : []));
    expect(behind[0]).toBeGreaterThan(10);
    expect(engine.requests.length).toBeLessThan(20);
  });

  it('says which speech it gave up on, and goes on behind it', async () => {
    const engine = new HearingEngine(({ pcm }) => {
      if (pcm.some((sample) => Math.abs(sample - 0.205) < 0.0001)) throw engineCrash();
    });
    const { texts, events } = await speak([...numbers(10), -2, ...numbers(5, 20), -1], { engine });
    expect(texts.slice(-5)).toEqual(numbers(5, 20).map(wordOf));
    expect(events.some(({ type }) => type === 'skipped')).toBe(true);
  });

  it('ends a turn where it is told to, though the speech goes on', async () => {
    const { recognizer, events } = recognizerOf();
    const clock = new FakeClock();
    const pcm = spoken(numbers(12));
    const flushed: Promise<void>[] = [];
    for (const [from, to] of [
      [0, 5],
      [5, 12],
    ] as const) {
      // All at once, while the step before is still at work.
      recognizer.push(pcm.subarray(from * 6400, to * 6400));
      flushed.push(recognizer.flush());
    }
    await clock.advance(1000);
    await Promise.all(flushed);
    const turns = events.flatMap((event) => (event.type === 'turn' ? [event.words.length] : []));
    expect(turns.reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(events.at(-1)?.type).toBe('turn');
  });

  it('ends a turn at the end, without a pause', async () => {
    const { events } = await speak(numbers(4));
    expect(events.at(-1)).toMatchObject({ type: 'turn', words: { length: 4 } });
  });
});
