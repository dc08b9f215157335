import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RECONNECT_SECONDS, type ServerMessage } from '../../../../electron/contract/realtime.ts';
import { silentLogger } from '../../../../electron/core/base/logger.ts';
import { LIVE_FILE, LiveAudio } from '../../../../electron/core/pipeline/live/live-audio.ts';
import { LiveSession } from '../../../../electron/core/services/live/session.ts';
import type { StoredSegment } from '../../../../electron/core/stores/segments.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { WHISPER } from '../../../support/fake-engine.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { until } from '../../../support/until.ts';
import { HearingEngine, spoken, wordOf } from '../../pipeline/live/spoken.ts';

const pcm16 = (pcm: Float32Array): Buffer =>
  Buffer.from(Int16Array.from(pcm, (sample) => Math.round(sample * 0x8000)).buffer);

const open = async ({ engine = new HearingEngine(), failsAt = (): boolean => false } = {}) => {
  const clock = new FakeClock();
  const folder = temporaryFolder();
  const stored = new Map<number, string>();
  const ends: string[] = [];
  let saves = 0;
  const session = new LiveSession({
    ...{ id: 'tr_1', userId: 'usr_1', modelId: 'base', createdAt: '', sampleRate: 16_000 },
    ...{ encoding: 'pcm_s16le', finalize: 'batch', clock, logger: silentLogger },
    audio: await LiveAudio.create(folder),
    recognizer: {
      engine,
      model: { path: 'model', capabilities: WHISPER },
      speechModel: 'detector',
      pause: 0.7,
      recognition: { language: 'en', translate: false, wordTimes: 'aligned', beamSize: () => 5 },
    },
    save: (changed: readonly StoredSegment[]) => {
      saves++;
      if (failsAt()) throw new Error('SQLITE_FULL');
      for (const { id, text } of changed) stored.set(id, text);
      return true;
    },
    settle: async (_session, reason) => {
      ends.push(reason);
    },
  });
  const messages: ServerMessage[] = [];
  const attach = (after = 0) =>
    session.attach(
      after,
      (message) => messages.push(message),
      () => {},
    );
  const bytesOnDisk = () => readFileSync(join(folder, LIVE_FILE)).length - 44;
  return { clock, session, stored, ends, messages, attach, bytesOnDisk, saves: () => saves };
};

const words = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('LiveSession', () => {
  it('writes audio and committed words each half second, and acknowledges what is written', async () => {
    const { clock, session, stored, messages, attach, bytesOnDisk } = await open();
    attach();
    const bytes = pcm16(spoken([...words(6), -1]));
    session.push(bytes);
    await clock.advance(500);
    await until(() => messages.some((message) => message.type === 'audio.saved'));
    expect(bytesOnDisk()).toBe(bytes.length);
    await until(async () => {
      await clock.advance(500);
      return stored.size > 0;
    });
    expect(stored.get(0)).toBe(words(6).map(wordOf).join(' '));
    await session.end('finished');
    expect(messages.at(-1)).toMatchObject({ type: 'session.ended', kept: true });
  });

  it('writes what a full disk refused as soon as there is room', async () => {
    let isFull = true;
    const { clock, session, stored, saves } = await open({ failsAt: () => isFull });
    session.push(pcm16(spoken([...words(6), -1])));
    await session.flush();
    await until(async () => {
      await clock.advance(500);
      return saves() > 1;
    });
    expect(stored.size).toBe(0);
    isFull = false;
    await until(async () => {
      await clock.advance(500);
      return stored.size > 0;
    });
    await session.end('finished');
  });

  it('waits for a client that was lost, sends what it missed, and ends without it', async () => {
    const { clock, session, ends, messages, attach } = await open();
    const leave = attach();
    session.push(pcm16(spoken([...words(6), -1])));
    leave();
    await session.flush();
    expect(messages.filter(({ type }) => type === 'words.committed')).toEqual([]);
    await clock.advance((RECONNECT_SECONDS - 1) * 1000);
    const again = attach();
    const committed = messages.flatMap((message) =>
      message.type === 'words.committed' ? message.words : [],
    );
    expect(committed.map(({ word }) => word)).toEqual(words(6).map(wordOf));
    await clock.advance(2 * RECONNECT_SECONDS * 1000);
    expect(ends).toEqual([]);
    again();
    await clock.advance(RECONNECT_SECONDS * 1000);
    await until(() => ends.length > 0);
    expect(ends).toEqual(['disconnected']);
  });

  it('keeps the audio when the engine cannot go on, and says so', async () => {
    const engine = new HearingEngine(() => {
      throw new Error('gone');
    });
    const { clock, session, messages, attach, bytesOnDisk } = await open({ engine });
    attach();
    const bytes = pcm16(spoken([...words(6), -1]));
    session.push(bytes);
    await until(() => messages.some((message) => message.type === 'notice'));
    session.push(bytes);
    await session.end('finished');
    await clock.advance(500);
    expect(bytesOnDisk()).toBe(2 * bytes.length);
    expect(messages.at(-1)).toMatchObject({ type: 'session.ended', reason: 'finished', kept: true });
  });
});
