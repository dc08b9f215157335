import { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fluentFfmpeg from 'fluent-ffmpeg';
import { beforeAll, describe, expect, it } from 'vitest';
import { runFfmpeg } from '../../../../electron/core/engines/ffmpeg/run-ffmpeg.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type { FfmpegTools } from '../../../../electron/core/engines/ffmpeg/types.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** Silence without an end, on standard output, which also the packages' own ffmpeg can make. */
const ENDLESS = {
  input: '/dev/zero',
  inputOptions: ['-f', 's16le', '-ar', '16000'],
  outputOptions: ['-f', 'f32le'],
  outputFile: null,
};

describe('fluent-ffmpeg', () => {
  let tools: FfmpegTools;

  beforeAll(async () => {
    tools = await findFfmpeg({ environment: process.env, platform: process.platform });
  });

  // First, since fluent-ffmpeg keeps the answers.
  it('starts ffmpeg for the run alone, not to ask what it can do', async () => {
    const folder = temporaryFolder();
    const [ffmpeg, calls] = [join(folder, 'ffmpeg'), join(folder, 'calls')];
    await writeFile(ffmpeg, `#!/bin/sh\necho call >> '${calls}'\nexec '${tools.ffmpeg}' "$@"\n`, {
      mode: 0o755,
    });
    const run = runFfmpeg({ tools: { ...tools, ffmpeg }, ...ENDLESS });
    await once(run.stdout, 'readable');
    await run.kill();
    expect(await readFile(calls, 'utf8')).toBe('call\n');
  });

  it('has its process in the private field that run-ffmpeg.ts reads', async () => {
    const run = fluentFfmpeg({ stdoutLines: 1 })
      .setFfmpegPath(tools.ffmpeg)
      .input(ENDLESS.input)
      .inputOptions(ENDLESS.inputOptions)
      .outputOptions(ENDLESS.outputOptions)
      .output('-');
    const ended = once(run, 'error');
    run.run();
    await once(run, 'start');
    const child: unknown = Reflect.get(run, 'ffmpegProc');
    expect(child).toBeInstanceOf(ChildProcess);
    expect(child).toMatchObject({ pid: expect.any(Number), stdout: expect.anything() });
    run.kill('SIGKILL');
    await ended;
  });

  it('says that ffmpeg cannot be started when it was there before', async () => {
    const ffmpeg = join(temporaryFolder(), 'ffmpeg');
    await symlink(tools.ffmpeg, ffmpeg);
    const linked = { ...tools, ffmpeg };
    const first = runFfmpeg({ tools: linked, ...ENDLESS });
    await once(first.stdout, 'readable');
    await first.kill();
    await rm(ffmpeg);
    const second = runFfmpeg({ tools: linked, ...ENDLESS });
    expect(await second.exit).toMatchObject({ code: null, startError: expect.stringContaining('ENOENT') });
  });
});
