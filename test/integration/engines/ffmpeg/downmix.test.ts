import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type { DecodeOptions, MediaEngine } from '../../../../electron/core/engines/ffmpeg/types.ts';
import { encodeChannels } from '../../../generators/encoded.ts';
import { unnamedChannels } from '../../../generators/wav.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { filePcm, fixturePcm } from '../../../support/pcm.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SOURCE = '00-one-sentence.wav';

describe('mixing to mono', () => {
  let engine: MediaEngine;
  let folder: string;
  let speech: Float32Array;

  const decode = async (path: string, options: DecodeOptions = {}): Promise<Float32Array> => {
    const samples: number[] = [];
    for await (const { pcm } of engine.decodeChunks({ kind: 'file', path }, options).chunks)
      samples.push(...pcm);
    return Float32Array.from(samples);
  };

  const level = (pcm: Float32Array): number =>
    Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);

  /** How alike two recordings are: 1 for the same, at whatever level. */
  const likeness = (one: Float32Array, other: Float32Array): number => {
    const product = one.reduce((sum, sample, index) => sum + sample * (other[index] ?? 0), 0);
    return product / (level(one) * level(other) * one.length);
  };

  /** The sentence in a file whose channels are made of it, e.g. `c0=c0|c1=-1*c0`. */
  const make = async (name: string, layout: string, channels: string): Promise<string> => {
    const path = join(folder, name);
    await encodeChannels(path, layout, channels);
    return path;
  };

  /** A WAV with the sentence in one of its channels, and a header that does not say which one is which. */
  const unnamed = async (channels: number, channel: number): Promise<string> => {
    const path = join(folder, `unnamed-${channels}-${channel}.wav`);
    await writeFile(path, unnamedChannels(speech, channels, channel));
    return path;
  };

  beforeAll(async () => {
    engine = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
    folder = temporaryFolder();
    speech = fixturePcm(SOURCE);
  });

  it.each([
    ['opposite channels', 'c0=c0|c1=-1*c0', Math.SQRT2],
    ['opposite channels, the right one louder', 'c0=-0.7*c0|c1=c0', Math.SQRT2],
    ['speech on the left alone', 'c0=c0|c1=0*c0', Math.SQRT1_2],
    ['the same on both', 'c0=c0|c1=c0', Math.SQRT2],
  ])('%s: the speech is heard', async (name, channels, gain) => {
    const path = await make(`${name.replaceAll(/\W/g, '')}.wav`, 'stereo', channels);
    const heard = await decode(path);
    expect(heard.length).toBe(speech.length);
    expect(level(heard) / level(speech)).toBeCloseTo(gain, 1);
    expect(likeness(heard, speech)).toBeGreaterThan(0.99);
    expect(await decode(path, { start: 1.5, end: 3 })).toEqual(heard.subarray(24_000, 48_000));
    expect(await decode(path, { resume: { at: 2, index: 1 } })).toEqual(heard.subarray(32_000));
  });

  it('a mono recording is decoded to the same samples as by ffmpeg', async () => {
    expect(await decode(fixturePath(SOURCE))).toEqual(filePcm(fixturePath(SOURCE)));
  });

  it('hears channels that are opposite in a part of the recording', async () => {
    const path = join(folder, 'part.wav');
    const turned = 'aeval=val(0)|val(0)*if(between(t\\,1\\,3)\\,-1\\,1):c=stereo';
    await ffmpeg('-i', fixturePath(SOURCE), '-af', turned, path);
    const heard = await decode(path);
    expect(level(heard.subarray(19_200, 46_400)) / level(speech.subarray(19_200, 46_400))).toBeCloseTo(
      Math.SQRT2,
      1,
    );
    expect(level(heard.subarray(0, 14_400)) / level(speech.subarray(0, 14_400))).toBeCloseTo(Math.SQRT2, 1);
  });

  it.each([
    [3, 2],
    [6, 3],
    [12, 11],
  ])('of %i channels without names, speech on number %i is heard', async (channels = 0, channel = 0) => {
    const path = await unnamed(channels, channel);
    const heard = await decode(path);
    expect(level(heard) / level(speech)).toBeCloseTo(1 / channels, 2);
    expect(likeness(heard, speech)).toBeGreaterThan(0.99);
    expect(await decode(path, { resume: { at: 2, index: 1 } })).toEqual(heard.subarray(32_000));
  });

  it.each([6, 12])('redacted audio has the speech of %i channels without names', async (channels) => {
    const output = join(folder, `redacted-${channels}.wav`);
    const input = { kind: 'file' as const, path: await unnamed(channels, 3) };
    await engine.bleep({ input, output, spans: [], format: 'wav' });
    expect(likeness(filePcm(output), speech)).toBeGreaterThan(0.99);
  });
});
