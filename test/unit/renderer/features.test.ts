import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../electron/contract/settings.ts';
import type { Model } from '../../../electron/contract/system.ts';
import { CreateTranscript } from '../../../electron/contract/transcript.ts';
import {
  listVerifiers,
  recommendedModel,
  toUsableOptions,
  withoutChannels,
} from '../../../renderer/domain/model-choice.ts';
import { describeModel, licenseNotice } from '../../../renderer/domain/models.ts';
import { toCurl, toRequest, WHOLE_RECORDING } from '../../../renderer/domain/transcript-request.ts';
import { groupByDestination } from '../../../renderer/features/settings/connections-section.tsx';
import { SETTING_GROUPS } from '../../../renderer/features/settings/setting-groups.ts';
import { parseLinks } from '../../../renderer/lib/format.ts';
import { TranscriptionOptions } from '../../../renderer/stores/prefs.ts';

describe('groupByDestination', () => {
  it('groups connections by host and purpose', () => {
    const one = { host: 'a.example', address: null, purpose: 'audio', bytes: 5, error: null } as const;
    expect(
      groupByDestination([
        { ...one, time: '2026-03-03T09:00:00.000Z' },
        { ...one, purpose: 'webhook', time: '2026-03-02T09:00:00.000Z' },
        { ...one, time: '2026-03-01T09:00:00.000Z' },
        { ...one, host: 'refused.example', error: 'Refused.', time: '2026-03-01T08:00:00.000Z' },
      ]),
    ).toEqual([
      { host: 'a.example', purpose: 'audio', times: 2, bytes: 10, last: '2026-03-03T09:00:00.000Z' },
      { host: 'a.example', purpose: 'webhook', times: 1, bytes: 5, last: '2026-03-02T09:00:00.000Z' },
    ]);
  });
});

describe('describeModel', () => {
  const t = Object.assign((key: string) => key, { language: 'de' as const });
  it.each([
    ['small.en', 'models.good.small'],
    ['large-v3-turbo-q8_0', 'models.good.large-v3-turbo'],
    ['large-v3-turbo-q5_0', 'models.good.smaller'],
    ['my-own', 'As the server says.'],
  ])('%s', (id, expected) => {
    expect(describeModel({ id, kind: 'whisper', description: 'As the server says.' }, t)).toBe(expected);
  });
});

describe('the models that the New dialog offers', () => {
  const model = (id: string, more: Partial<Model> = {}): Model => ({
    id,
    name: id,
    kind: 'whisper',
    part: null,
    size: 1e8,
    languages: 'multilingual',
    sha256: null,
    sha1: null,
    installed: true,
    in_use: false,
    bundled: false,
    description: '',
    aliases: [],
    speed: 5,
    download: null,
    ...more,
  });
  const parakeet = model('parakeet-tdt-0.6b-v3', { kind: 'parakeet', languages: ['de', 'en'], speed: 20 });
  const models = [
    model('base', { speed: 30, aliases: ['mini'] }),
    model('large-v3', { speed: 0.7 }),
    model('medium.en', { languages: ['en'], speed: 4 }),
    parakeet,
    model('small', { speed: null }),
    model('large-v3-turbo', { installed: false }),
  ];

  it.each([
    ['de', 'parakeet-tdt-0.6b-v3'],
    ['auto', 'parakeet-tdt-0.6b-v3'],
    ['ja', 'base'],
  ])('recommend by measured speed and language: %s', (language, id) => {
    expect(recommendedModel(models, language)?.id).toBe(id);
  });

  it('recommend the fastest where none is fast enough, and nothing without a choice', () => {
    const slow = [model('small', { speed: 0.9 }), model('medium', { speed: 0.3 })];
    expect(recommendedModel(slow, 'de')?.id).toBe('small');
    expect(recommendedModel([parakeet, model('small', { speed: null })], 'de')).toBeUndefined();
  });

  it('can check the first one: installed, another, and for its language', () => {
    const ids = (first: string, language: string) =>
      listVerifiers(models, first, language).map(({ id }) => id);
    expect(ids('mini', 'de')).toEqual(['large-v3', 'parakeet-tdt-0.6b-v3', 'small']);
    const options = TranscriptionOptions.parse({ model: 'base', language: 'ja', verifyWith: parakeet.id });
    expect(toUsableOptions(models, options, undefined).verifyWith).toBe('');
    const german = toUsableOptions(models, { ...options, language: 'de' }, undefined);
    expect(toRequest(german, WHOLE_RECORDING).verify_with).toBe(parakeet.id);
  });

  it('do without speaker labels and a second one where channels are kept apart', () => {
    const chosen = { model: 'base', multichannel: true, verifyWith: 'small', speakers: 3 };
    const apart = toUsableOptions(models, TranscriptionOptions.parse(chosen), undefined);
    const request = toRequest(apart, WHOLE_RECORDING);
    expect(request).toMatchObject({ multichannel: true });
    for (const field of ['diarize', 'speakers_expected', 'verify_with']) {
      expect(request).not.toHaveProperty(field);
    }
    expect(withoutChannels({ diarize: true })).toEqual({ diarize: true, multichannel: false });
    expect(withoutChannels({ verifyWith: 'small' }).multichannel).toBe(false);
    expect(withoutChannels({ topics: true, verifyWith: '' })).toEqual({ topics: true, verifyWith: '' });
  });

  it('name the author of a model whose license asks for it', () => {
    const t = Object.assign((key: string) => key, { language: 'de' as const });
    expect(licenseNotice(parakeet, t)).toBe('model.license.nvidia');
    expect(licenseNotice(model('base'), t)).toBeUndefined();
  });
});

describe('parseLinks', () => {
  it('returns links only if the text contains nothing else', () => {
    expect(parseLinks(' https://a.example/x.mp3\nhttp://b.example/ ')).toHaveLength(2);
    expect(parseLinks('see https://a.example/x.mp3')).toEqual([]);
    expect(parseLinks('')).toEqual([]);
  });
});

describe('transcription request', () => {
  const options = TranscriptionOptions.parse({
    speakers: 3,
    language: 'de',
    redact: true,
    safety: true,
  });

  it('asks for Chinese in traditional characters by a tag, which is no language of a summary', () => {
    const chinese = TranscriptionOptions.parse({ language: 'zh-Hant', summary: true });
    const request = toRequest(chinese, WHOLE_RECORDING);
    expect(request).toMatchObject({ language: 'zh-Hant', summary_language: 'zh' });
    expect(CreateTranscript.safeParse({ audio_url: 'https://a.example/x', ...request }).success).toBe(true);
  });

  it('contains only the chosen options', () => {
    expect(
      toRequest(
        TranscriptionOptions.parse({ diarize: false, entities: false, topics: false, summary: false }),
        WHOLE_RECORDING,
      ),
    ).toEqual({
      model: 'mini',
      timestamp_style: 'word',
    });
    expect(toRequest(options, { from: 1.00049, to: 8 })).toMatchObject({
      audio_start_from: 1,
      audio_end_at: 8,
      language: 'de',
      diarize: true,
      speakers_expected: 3,
      summary_language: 'de',
      redact_pii_policies: ['personal', 'contact', 'financial'],
      redact_pii_audio: true,
    });
  });

  it('is quoted for the shell as a curl command', () => {
    const curl = toCurl('http://127.0.0.1:3277', { audio_url: "https://a.example/it's.mp3", model: 'mini' });
    expect(curl).toContain("it'\\''s.mp3");
    expect(curl).toContain('$EARSHOT_API_KEY');
  });

  it('replaces only invalid remembered options by defaults', () => {
    expect(TranscriptionOptions.parse({ model: 5, topics: false })).toMatchObject({
      model: 'mini',
      topics: false,
    });
  });
});

describe('settings screen', () => {
  it('lists every setting exactly once', () => {
    const placed = SETTING_GROUPS.flatMap((group) => group.parts.flatMap((part) => part.keys));
    expect([...placed].sort()).toEqual(Object.keys(SETTINGS).sort());
  });
});
