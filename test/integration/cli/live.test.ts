import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { NODE_OPTIONS } from '../../../electron/cli/bootstrap/places.mjs';
import { microphoneInput } from '../../../electron/cli/live.ts';
import { ServerMessage } from '../../../electron/contract/realtime.ts';
import { testAddon } from '../../support/addon.ts';
import { resultOf, runEarshot } from '../../support/command-line.ts';
import { CLI_ENTRY, SPEECH_FIXTURES } from '../../support/paths.ts';
import { filePcm } from '../../support/pcm.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { wordErrorRate } from '../../support/word-error-rate.ts';

const SAID =
  'The invention of movable metal letters in the middle of the fifteenth century may justly be considered as the invention of the art of printing.';

const live = async (dataDir: string, ...args: string[]) => {
  const child = spawn(process.execPath, [...NODE_OPTIONS, CLI_ENTRY, 'live', '--device', '-', ...args], {
    env: { ...process.env, NO_COLOR: '1', EARSHOT_ADDON: await testAddon(), EARSHOT_DATA_DIR: dataDir },
    stdio: 'pipe',
  });
  return { child, result: resultOf(child) };
};

const spoken = (): Buffer => {
  const pcm = filePcm(`${SPEECH_FIXTURES}/en-printing.flac`);
  return Buffer.from(Int16Array.from(pcm, (sample) => Math.round(sample * 0x7fff)).buffer);
};

describe('earshot live', () => {
  it('writes what is said to stdout and to a subtitle file, and says what it kept', async () => {
    const dataDir = temporaryFolder();
    const captions = join(temporaryFolder(), 'live.vtt');
    const { child, result } = await live(
      dataDir,
      '--language',
      'en',
      '--finalize',
      'none',
      '--captions',
      captions,
    );
    child.stdin.end(spoken());
    const { code, out, err } = await result;
    expect(err).toMatch(/Kept: 0:08 of audio as tr_\w+, with the live text\./);
    expect(code).toBe(0);
    expect(wordErrorRate(SAID, out.replace('15th', 'fifteenth'))).toBeLessThanOrEqual(0.2);
    const subtitles = readFileSync(captions, 'utf8');
    expect(subtitles).toMatch(/^WEBVTT/);
    const text = subtitles.split('\n').filter((line) => /^[A-Za-z]/.test(line) && !line.startsWith('WEBVTT'));
    expect(text.join(' ')).toBe(out.trim().replaceAll('\n', ' '));
    const shown = await runEarshot(dataDir, 'transcripts', 'list');
    expect(shown.out).toContain('Live ');
  });

  it('ends at Ctrl-C with all that was said until then', async () => {
    const { child, result } = await live(temporaryFolder(), '--language', 'en', '--json');
    let out = '';
    child.stdout.on('data', (bytes) => {
      out += String(bytes);
    });
    child.stdin.write(spoken());
    while (!out.includes('"audio.saved"')) await delay(100);
    await delay(1000);
    child.kill('SIGINT');
    const { code, err } = await result;
    expect(err).toContain('Kept: 0:08');
    expect(code).toBe(0);
    const messages = out
      .trim()
      .split('\n')
      .map((line) => ServerMessage.parse(JSON.parse(line)));
    expect(messages.at(-1)).toMatchObject({ type: 'session.ended', reason: 'finished' });
    expect(messages.some(({ type }) => type === 'turn.ended')).toBe(true);
  });

  it('names the microphone as the system’s ffmpeg does', () => {
    expect(microphoneInput('linux', undefined)).toEqual(['-f', 'pulse', '-i', 'default']);
    expect(microphoneInput('darwin', 'Studio')).toEqual(['-f', 'avfoundation', '-i', ':Studio']);
    expect(microphoneInput('win32', 'Studio')).toEqual(['-f', 'dshow', '-i', 'audio=Studio']);
    expect(() => microphoneInput('win32', undefined)).toThrow(/--device/);
  });
});
