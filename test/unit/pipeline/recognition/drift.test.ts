import { describe, expect, it } from 'vitest';
import { recognizeChunk } from '../../../../electron/core/pipeline/recognition/recognizer.ts';
import { driftWarning } from '../../../../electron/core/pipeline/recognition/spoken-language.ts';
import {
  chunkOf,
  FakeEngine,
  PARAKEET,
  WHISPER,
  whisperResult,
  whisperSegment,
} from '../../../support/fake-engine.ts';
import { sentencesOf } from '../../../support/sentences-of.ts';

const FRENCH = 'Nous avons encore beaucoup de chemin à faire et je dois avouer que le gouvernement hésite';
const ENGLISH = 'We still have a long way to go and I have to admit that the government hesitates';

const chunk = chunkOf({ seconds: 20, silences: [{ start: 9.5, end: 10.5 }] });

const recognize = (engine: FakeEngine, language: string, capabilities = PARAKEET) =>
  recognizeChunk(chunk, {
    engine,
    model: { path: '/model.bin', capabilities },
    language,
    beamSize: 5,
    translate: false,
    signal: new AbortController().signal,
    crashes: 0,
  });

/** Writes English about all of the chunk, and French about less of it. */
const drifting = (half = FRENCH) =>
  new FakeEngine(({ pcm }) =>
    whisperResult(whisperSegment(pcm.length > 15 * 16_000 ? ENGLISH : half, { end: pcm.length / 16_000 })),
  );

const textsOf = async (...options: Parameters<typeof recognize>) =>
  (await recognize(...options)).segments.map(({ text }) => text);

describe('a model that drifts into English', () => {
  it('begins anew in a pause', async () => {
    expect(await textsOf(drifting(), 'fr')).toEqual([FRENCH, FRENCH]);
  });

  it('keeps its text where a new beginning does not help', async () => {
    expect(await textsOf(drifting(ENGLISH), 'fr')).toEqual([ENGLISH]);
  });

  it('is not suspected of it in English, nor as one that takes the language', async () => {
    expect(await textsOf(drifting(), 'en')).toEqual([ENGLISH]);
    expect(await textsOf(drifting(), 'fr', WHISPER)).toEqual([ENGLISH]);
  });

  it('is reported with the places that stay English', async () => {
    const { segments } = await recognize(drifting(ENGLISH), 'fr');
    const later = segments.map((segment) => ({ ...segment, start: 75 }));
    const model = { id: 'parakeet', capabilities: PARAKEET };
    expect(sentencesOf(await driftWarning(model, 'fr', [...segments, ...later]))).toEqual([
      'The model parakeet wrote English at 0:00, 1:15, although the recording is in another language (fr). A Whisper model keeps to one language.',
    ]);
    expect(await driftWarning(model, 'en', segments)).toEqual([]);
    expect(await driftWarning({ ...model, capabilities: WHISPER }, 'fr', segments)).toEqual([]);
  });
});
