import { describe, expect, it } from 'vitest';
import { CreateTranscript } from '../../../electron/contract/transcript.ts';
import { inOneScript } from '../../../electron/core/pipeline/findings/chinese-script.ts';
import { withoutRegion } from '../../../electron/core/services/transcripts/create.ts';
import type { StoredSegment } from '../../../electron/core/stores/segments.ts';

const segmentOf = (words: readonly string[], language?: string): StoredSegment => ({
  id: 0,
  text: words.join(''),
  start: 0,
  end: words.length,
  speaker_id: null,
  ...(language === undefined ? {} : { language }),
  words: words.map((word, index) => ({
    word,
    start: index,
    end: index + 0.9,
    confidence: 0.8,
    speaker_id: null,
  })),
});

/** Both scripts in one sentence. */
const MIXED = segmentOf(['我們', '今天', '讨论', '头发', '和', '發展', '。']);
const wordsOf = (segments: readonly StoredSegment[]) => segments[0]?.words.map(({ word }) => word);

describe('Chinese in one script', () => {
  it('is simplified by default, with words and times kept', async () => {
    const [written] = await inOneScript([MIXED], 'zh', undefined);
    expect(written?.text).toBe('我们今天讨论头发和发展。');
    expect(written?.words.map(({ word }) => word)).toEqual([
      '我们',
      '今天',
      '讨论',
      '头发',
      '和',
      '发展',
      '。',
    ]);
    const timesOf = (segment: StoredSegment | undefined) =>
      segment?.words.map(({ start, end, confidence }) => [start, end, confidence]);
    expect(timesOf(written)).toEqual(timesOf(MIXED));
  });

  it('is traditional if asked for, by the words that a character is in', async () => {
    const written = await inOneScript([MIXED], 'zh', 'traditional');
    expect(wordsOf(written)).toEqual(['我們', '今天', '討論', '頭髮', '和', '發展', '。']);
    // The word decides also if it was cut: 发 is 髮 in hair and 發 in development.
    expect(wordsOf(await inOneScript([segmentOf(['头', '发'])], 'zh', 'traditional'))).toEqual(['頭', '髮']);
  });

  it('is traditional by default in Cantonese', async () => {
    expect((await inOneScript([segmentOf(['广东'])], 'yue', undefined))[0]?.text).toBe('廣東');
  });

  it('leaves other languages alone, by segment', async () => {
    const japanese = segmentOf(['会議', 'は', '東京'], 'ja');
    const chinese = segmentOf(['東京'], 'zh');
    expect(await inOneScript([japanese], null, 'traditional')).toEqual([japanese]);
    const written = await inOneScript([japanese, chinese], 'ja', undefined);
    expect(written.map(({ text }) => text)).toEqual(['会議は東京', '东京']);
  });

  it('converts the readings of another model, and words that are not in the text', async () => {
    const other = { text: '發展', model: 'base', confidence: 0.5 };
    const segment = segmentOf(['發達']);
    const doubted = { ...segment, words: segment.words.map((word) => ({ ...word, alternatives: [other] })) };
    const [written] = await inOneScript([doubted], 'zh', undefined);
    expect(written?.words[0]?.alternatives?.[0]?.text).toBe('发展');
    const edited = { ...segment, text: '頭髮。' };
    expect((await inOneScript([edited], 'zh', undefined))[0]).toMatchObject({
      text: '头发。',
      words: [{ word: '发达' }],
    });
  });
});

describe('the script that a request asks for', () => {
  const scriptOf = (body: object) => {
    const { language, chinese_script } = withoutRegion(
      CreateTranscript.parse({ audio_url: 'https://example.org/a.wav', ...body }),
    );
    return [language, chinese_script];
  };

  it('is that of the region, unless it names one', () => {
    expect(scriptOf({ language: 'zh-TW' })).toEqual(['zh', 'traditional']);
    expect(scriptOf({ language: 'zh-HK' })).toEqual(['zh', 'traditional']);
    expect(scriptOf({ language: 'zh-CN' })).toEqual(['zh', 'simplified']);
    expect(scriptOf({ language: 'zh-TW', chinese_script: 'simplified' })).toEqual(['zh', 'simplified']);
    expect(scriptOf({ language: 'zh' })).toEqual(['zh', undefined]);
    expect(scriptOf({ language: 'auto', chinese_script: 'traditional' })).toEqual(['auto', 'traditional']);
  });
});
