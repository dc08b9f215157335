import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  PII_POLICIES,
  PII_POLICY_NAMES,
  PII_SUBSTITUTIONS,
  PiiPolicyName,
  resolvePolicies,
} from '../../../electron/contract/analysis.ts';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import type { AnalysisOptions, AnalysisTranscript } from '../../../electron/core/analysis/types.ts';
import { joinTexts } from '../../../electron/core/base/text.ts';
import { readDialogues, readMarked } from './support/corpus.ts';
import { turnOf } from './support/stability.ts';
import { markedDialogue, transcriptOf } from './support/transcripts.ts';

const SECRET = 'a secret of this installation';

const redacted = async (transcript: AnalysisTranscript, options: AnalysisOptions = {}) => {
  const result = await analyze(transcript, { redact_pii: true, ...options }, { secret: SECRET });
  if (!result.redacted) throw new Error('nothing was redacted');
  return { ...result, redacted: result.redacted };
};

const wordsOf = (transcript: { segments: { words: { word: string }[] }[] }) =>
  transcript.segments.flatMap((segment) => segment.words.map((word) => word.word)).join(' ');

describe('policies', () => {
  it('resolve groups and synonyms, in order and without duplicates; none means all', () => {
    expect(resolvePolicies()).toEqual([...PII_POLICIES]);
    expect(resolvePolicies([])).toEqual([...PII_POLICIES]);
    expect(resolvePolicies(['ssn', 'person', 'person_name'])).toEqual([
      'person_name',
      'us_social_security_number',
    ]);
    expect(resolvePolicies(['medical', 'drug'])).toEqual(['medical_condition', 'drug', 'injury']);
    expect(resolvePolicies(['product'])).toEqual(['product']);
    expect(new Set(PII_POLICY_NAMES).size).toBe(PII_POLICY_NAMES.length);
    expect(PiiPolicyName.safeParse('shoe_size').success).toBe(false);
  });

  it.each(readMarked('pii-policies.txt').map((line) => [line.text, line] as const))('%s', async (_, line) => {
    const [mark] = line.marks;
    if (!mark) throw new Error('a line without a mark');
    const policy = PiiPolicyName.parse(mark.type);
    const { redacted: alone } = await redacted(transcriptOf([line.text]), {
      redact_pii_policies: [policy],
      redact_pii_sub: 'remove',
    });
    expect(alone.text).not.toContain(mark.text);
    const rest = line.text.replace(mark.text, '').match(/\p{L}+/gu) ?? [];
    expect(alone.text.match(/\p{L}+/gu) ?? []).toEqual(rest);
    expect(alone.redacted_words.every((word) => word.policy === policy)).toBe(true);
  });
});

describe('the counts', () => {
  it('say what is hidden by kind, and what stays because its kind was not asked for', async () => {
    const { private_data } = await redacted(
      transcriptOf(['My name is Maria Lopez, call 555-014-2367 or 555-014-2368 next Tuesday.']),
      { redact_pii_policies: ['person_name', 'phone_number'] },
    );
    expect(private_data).toEqual({ hidden: { person_name: 1, phone_number: 2 }, left: { date: 1 } });
  });
});

describe('substitution', () => {
  const spoken = transcriptOf([
    'My name is Maria Lopez.',
    'Call 555-014-2367, or write to maria.lopez@example.com!',
  ]);

  it('hash: one token per value, spoken or written; another secret gives another token', async () => {
    const { redacted: out } = await redacted(
      transcriptOf([
        'Write to maria.lopez@example.com.',
        'Again: maria dot lopez at example dot com.',
        'Call 555-014-2367 or 555 014 2367.',
      ]),
    );
    const tokens = out.text.match(/\[[A-Z_]+_[0-9a-f]{8}\]/g) ?? [];
    expect(tokens).toHaveLength(4);
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[2]).toBe(tokens[3]);
    const other = await analyze(
      transcriptOf(['Write to maria.lopez@example.com.']),
      { redact_pii: true },
      { secret: 'other' },
    );
    expect(other.redacted?.text).not.toContain(tokens[0]);
  });

  it('entity_name: what kind of value it is', async () => {
    const { redacted: out } = await redacted(spoken, { redact_pii_sub: 'entity_name' });
    expect(out.text).toBe('My name is [PERSON_NAME]. Call [PHONE_NUMBER], or write to [EMAIL_ADDRESS]!');
  });

  it('mask: letters and digits become asterisks, separators stay', async () => {
    const { redacted: out } = await redacted(spoken, { redact_pii_sub: 'mask' });
    expect(out.text).toBe('My name is ***** *****. Call ***-***-****, or write to *****.*****@*******.***!');
    expect(wordsOf(out)).toBe(out.text);
  });

  it('remove: spacing and punctuation close up', async () => {
    const { redacted: out } = await redacted(spoken, { redact_pii_sub: 'remove' });
    expect(out.text).toBe('My name is. Call, or write to!');
    expect(out.segments.map((segment) => segment.text)).toEqual(['My name is.', 'Call, or write to!']);
  });

  it('reports the redacted words with their original times', async () => {
    const { redacted: out } = await redacted(spoken);
    expect(out.redacted_words.map((word) => word.word)).toEqual([
      'Maria',
      'Lopez.',
      '555-014-2367,',
      'maria.lopez@example.com!',
    ]);
    const original = spoken.segments.flatMap((segment) => segment.words);
    for (const word of out.redacted_words) {
      expect(
        original.some((own) => own.word === word.word && own.start === word.start && own.end === word.end),
      ).toBe(true);
    }
  });

  it('redacts a number across segments, and drops a segment without other text', async () => {
    const split = transcriptOf([
      'My phone number is five five five oh one',
      'four two three',
      'six seven. Thanks.',
    ]);
    const { redacted: out } = await redacted(split);
    expect(out.text).toMatch(/^My phone number is \[PHONE_NUMBER_[0-9a-f]{8}\]\.? Thanks\.$/);
    expect(out.segments.map((segment) => segment.id)).toEqual([0, 1]);
    expect(out.redacted_words).toHaveLength(10);
  });

  it('redacts other occurrences of a name, in lower case as well', async () => {
    const { redacted: out } = await redacted(
      transcriptOf(['My name is Maria Lopez.', 'okay so lopez it is, right?']),
    );
    expect(out.text.toLowerCase()).not.toContain('lopez');
  });

  it('follows an edited text', async () => {
    const [segment] = transcriptOf(['My name is Bob now.']).segments;
    if (!segment) throw new Error('no segment');
    const edited = { ...segment, text: 'My name is Maria Lopez now.' };
    const { redacted: out } = await redacted({ language: 'en', text: edited.text, segments: [edited] });
    expect(JSON.stringify(out.segments)).not.toMatch(/Maria|Lopez|Bob/);
  });
});

describe('the whole result', () => {
  const texts = readDialogues('dialogues.txt').slice(0, 5);

  it.each(texts.map((dialogue, index) => [dialogue.title, dialogue, index] as const))(
    '%s contains no private value',
    async (_, dialogue, index) => {
      for (const redact_pii_sub of turnOf(PII_SUBSTITUTIONS, index)) {
        const result = await redacted(transcriptOf(dialogue.lines), {
          redact_pii_sub,
          entity_detection: true,
          topics: true,
          summarization: true,
          content_safety: true,
        });
        const { redacted_words: _words, ...kept } = result.redacted;
        const everything = JSON.stringify({ ...result, redacted: kept });
        for (const mark of markedDialogue(dialogue).marks) {
          if (mark.type !== 'product' && mark.type !== 'event') expect(everything).not.toContain(mark.text);
        }
        for (const entity of result.entities ?? []) {
          expect(result.redacted.text.slice(entity.startIndex, entity.endIndex)).toBe(entity.text);
        }
      }
    },
  );
});

const SECRETS = readMarked('sentences-first.txt').concat(
  readMarked('sentences-spoken.txt'),
  readMarked('pii-policies.txt'),
);
const corpus = fc.array(fc.constantFrom(...SECRETS.map((line) => line.text)), { minLength: 1, maxLength: 6 });
const noise = fc.array(
  fc.oneof(
    fc.constantFrom(
      'maria',
      'Lopez',
      'five',
      'oh',
      'double',
      '555',
      '014-2367',
      'at',
      'dot',
      'com',
      'example',
      'is',
      'my',
      'name',
      'card',
      '4111',
      'May',
      'in',
      'Paris',
      '.',
      ',',
      'the',
      '2021',
      'www.example.com',
      '(303)',
      '+49',
      'password',
      '12/27',
      "O'Brien's",
      '😀',
      '“No,”',
    ),
    fc.string({ maxLength: 6, unit: 'grapheme' }),
  ),
  { maxLength: 25 },
);
const speech = fc.oneof(
  corpus.map((lines) => transcriptOf(lines)),
  fc
    .array(
      noise.map((words) => words.join(' ')),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => transcriptOf(parts)),
);

describe('properties', () => {
  it('entities slice to their text, with and without redaction', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(speech, fc.constantFrom(undefined, ...PII_SUBSTITUTIONS), async (transcript, sub) => {
        const options = { entity_detection: true, redact_pii: sub !== undefined, redact_pii_sub: sub };
        const result = await analyze(transcript, options, { secret: SECRET });
        const text = result.redacted?.text ?? transcript.text;
        for (const entity of result.entities ?? [])
          expect(text.slice(entity.startIndex, entity.endIndex)).toBe(entity.text);
      }),
      { numRuns: 40 },
    );
  });

  it('redaction leaves no detected value, and the text is that of the segments', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(corpus, fc.constantFrom(...PII_SUBSTITUTIONS), async (lines, redact_pii_sub) => {
        const transcript = transcriptOf(lines);
        const found = await analyze(transcript, { entity_detection: true }, { secret: SECRET });
        const { redacted: out } = await redacted(transcript, { redact_pii_sub });
        expect(out.text).toBe(joinTexts(out.segments.map((segment) => segment.text)));
        for (const entity of found.entities ?? []) {
          if (entity.type === 'event' || entity.type === 'product' || entity.text.length < 4) continue;
          expect(out.text).not.toContain(entity.text);
          expect(wordsOf(out)).not.toContain(entity.text);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('redacting twice changes nothing', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(speech, fc.constantFrom(...PII_SUBSTITUTIONS), async (transcript, redact_pii_sub) => {
        const { redacted: once } = await redacted(transcript, { redact_pii_sub });
        const again = { language: transcript.language, text: once.text, segments: once.segments };
        const { redacted: twice } = await redacted(again, { redact_pii_sub });
        expect(twice.text).toBe(once.text);
        expect(twice.segments).toEqual(once.segments);
      }),
      { numRuns: 40 },
    );
  });
});

describe('hostile input', () => {
  const long = 30_000;

  it.each([
    ['a long word', 'a'.repeat(long)],
    ['stops', `${'.'.repeat(long)}a`],
    ['quotes', `${'"'.repeat(long)}a`],
    ['a chain of labels', 'a.'.repeat(long)],
    ['at signs', '@'.repeat(long)],
    ['hyphens', 'x-'.repeat(long)],
    ['digits', '1'.repeat(long)],
    ['dots as words', 'dot '.repeat(3000)],
    ['unspaced script', '我的电话是13912345678。'.repeat(400)],
  ])('%s finishes in time', async (_, text) => {
    const options = {
      entity_detection: true,
      redact_pii: true,
      summarization: true,
      topics: true,
      content_safety: true,
    };
    const result = await analyze(transcriptOf([text]), options, { secret: SECRET });
    expect(result.redacted).toBeDefined();
  });
});

describe('the decisions of a person', () => {
  const decide = (text: string, decisions: Readonly<Record<string, boolean>>): AnalysisTranscript => {
    const transcript = transcriptOf([text]);
    const segments = transcript.segments.map((segment) => ({
      ...segment,
      words: segment.words.map((word) => {
        const isPrivate = decisions[word.word.replaceAll(/\P{L}/gu, '')];
        return isPrivate === undefined ? word : { ...word, isPrivate };
      }),
    }));
    return { ...transcript, segments };
  };
  const asTokens = { redact_pii_sub: 'entity_name' } as const;

  it('hide chosen words wherever they are said, with the signs around them kept', async () => {
    const { redacted: out, private_data } = await redacted(
      decide('The project Nightingale, our Nightingale, is late, Maria says.', { Nightingale: true }),
      { ...asTokens, redact_pii_policies: ['redacted'] },
    );
    expect(out.text).toBe('The project [REDACTED], our [REDACTED], is late, Maria says.');
    expect(out.redacted_words.map(({ policy }) => policy)).toEqual(['redacted', 'redacted']);
    expect(private_data).toEqual({ hidden: { redacted: 2 }, left: { person_name: 1 } });
  });

  it('let words stay that a detector finds, whatever is hidden beside them', async () => {
    const { redacted: out, private_data } = await redacted(
      decide('My name is Maria Lopez and I live in Chicago.', { Chicago: false }),
      asTokens,
    );
    expect(out.text).toBe('My name is [PERSON_NAME] and I live in Chicago.');
    expect(out.segments[0]?.words.at(-1)).toMatchObject({ word: 'Chicago.', isPrivate: false });
    expect(private_data?.left).toEqual({});
  });
});
