import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** 36000 tests ten hours; the default keeps the test short. */
const SECONDS = Number(process.env.EARSHOT_DRIFT_SECONDS ?? 90);
const EVERY = 30;

describe('times over a long recording', () => {
  let folder: string;

  beforeAll(async () => {
    folder = temporaryFolder();
  });

  it.each([
    ['mp3', ['-b:a', '32k']],
    ['m4a', ['-c:a', 'aac', '-b:a', '32k']],
  ])('finds every mark at its time, in %s of 44.1 kHz', { timeout: 1_200_000 }, async (format, args) => {
    const path = join(folder, `marks.${format}`);
    const mark = `if(lt(mod(t,${EVERY}),0.2),0.8*sin(2*PI*440*t),0)`;
    await ffmpeg('-f', 'lavfi', '-i', `aevalsrc='${mark}':s=44100:d=${SECONDS}`, ...args, path);
    const engine = createMediaEngine(
      await findFfmpeg({ environment: process.env, platform: process.platform }),
    );
    const decoding = engine.decodeChunks({ kind: 'file', path });
    const found: number[] = [];
    let loudUntil = -1;
    for await (const { pcm, start } of decoding.chunks) {
      for (let i = 0; i < pcm.length; i++) {
        if (Math.abs(pcm[i] ?? 0) < 0.3) continue;
        const time = start + i / 16_000;
        if (time > loudUntil + 1) found.push(time);
        loudUntil = time;
      }
    }
    expect(decoding.summary().duration).toBeCloseTo(SECONDS, 0);
    expect(found).toHaveLength(SECONDS / EVERY);
    const errors = found.map((time, i) => Math.abs(time - i * EVERY));
    expect(Math.max(...errors)).toBeLessThan(0.01);
  });
});
