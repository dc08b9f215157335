import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createDiarizer, starterDiarization } from '../../electron/core/engines/diarizer/diarizer.ts';
import type { SpeakerTurn } from '../../electron/core/engines/diarizer/types.ts';
import { createMediaEngine } from '../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../electron/core/engines/ffmpeg/tools.ts';
import { forkNodeWorker } from '../../electron/core/engines/whisper/index.ts';
import { type LabelledTurn, scoreDiarization } from '../support/diarization-error.ts';
import { fixturePath } from '../support/fixtures.ts';

/**
 * Prints the diarization error rate (0.25 s collar, overlap scored, best mapping of speakers) of the
 * conversations, with the number of speakers given and found. Run: `node test/bench/diarization.ts`.
 */

const RECORDINGS = [
  'talk-1-two-voices.flac',
  'talk-2-three-voices.flac',
  'talk-3-new-voices.flac',
  '02-two-speakers.mp3',
  '03-three-speakers.flac',
  '08-meeting-4min.mp3',
];

type Truth = { segments?: LabelledTurn[]; sentences?: LabelledTurn[] };

const truthOf = (name: string): LabelledTurn[] => {
  const truth: Truth = JSON.parse(readFileSync(fixturePath(name.replace(/\.\w+$/, '.json')), 'utf8'));
  return truth.segments ?? truth.sentences ?? [];
};

const program = resolve(import.meta.dirname, '..', '..');

const main = async (): Promise<void> => {
  const tools = await findFfmpeg({
    environment: process.env,
    platform: process.platform,
    resourcesPath: resolve(program, 'resources'),
  });
  const media = createMediaEngine(tools);
  const diarize = createDiarizer(
    forkNodeWorker(resolve(program, 'electron', 'worker', 'main.ts')),
    starterDiarization(resolve(program, 'resources')),
  );
  const { signal } = new AbortController();
  const turnsOf = (name: string, speakers: number | null): Promise<SpeakerTurn[]> =>
    diarize(media.decodePieces({ kind: 'file', path: fixturePath(name) }, { signal }).pieces, {
      speakers,
      signal,
    });
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`.padStart(8);
  console.log(`${'recording'.padEnd(28)} speakers     given     found   (count found)`);
  for (const name of RECORDINGS) {
    const truth = truthOf(name);
    const speakers = new Set(truth.map((turn) => turn.speaker)).size;
    const given = scoreDiarization(truth, await turnsOf(name, speakers));
    const turns = await turnsOf(name, null);
    const found = scoreDiarization(truth, turns);
    const count = new Set(turns.map((turn) => turn.speaker)).size;
    console.log(`${name.padEnd(28)} ${speakers}         ${percent(given)}  ${percent(found)}   (${count})`);
  }
};

await main();
