import { composeIBAN, getCountrySpecifications } from 'ibantools';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import { transcriptOf } from './support/transcripts.ts';

const masked = async (text: string, policies: ('iban' | 'bank_account')[] = ['iban']) => {
  const options = {
    entity_detection: true,
    redact_pii: true,
    redact_pii_policies: policies,
    redact_pii_sub: 'mask',
  } as const;
  const { redacted, entities } = await analyze(transcriptOf([text]), options, { secret: 'secret' });
  return { text: redacted?.text, words: redacted?.redacted_words.length, entities: entities ?? [] };
};

const grouped = (iban: string) => iban.match(/.{1,4}/gu)?.join(' ') ?? iban;

describe('IBANs', () => {
  it.each([
    ['LY', '021001000000120361201'],
    ['RU', '04452522540817810538091310419'],
    ['SD', '29010501234001'],
    ['OM', '018000000129912345600'.slice(0, 19)],
    ['MN', '1234123456789123'],
    ['NI', 'BAPR00000013000003558124'],
    ['FK', 'SC123456789012'],
    ['DJ', '21000100000000154000100186'.slice(0, 23)],
    ['BI', '10000100010000332045181'],
    ['SO', '1000001001000100141'],
    ['YE', 'CBYE0001018861234567891234'],
    ['HN', 'CABF00000000000250005469'],
  ])('of %s are detected', async (countryCode, bban) => {
    const iban = composeIBAN({ countryCode, bban });
    expect(iban).not.toBeNull();
    for (const written of [iban ?? '', grouped(iban ?? '')]) {
      const { text, entities } = await masked(`Please use ${written} from now on.`);
      expect(text).toBe(`Please use ${written.replace(/\w/gu, '*')} from now on.`);
      expect(entities.map((entity) => entity.type)).toEqual(['bank_account']);
    }
  });

  it('have a valid length for every country of the registry', async () => {
    const lengths = Object.values(getCountrySpecifications()).flatMap(({ chars }) => chars ?? []);
    expect(lengths.length).toBeGreaterThan(110);
    for (const length of lengths) {
      expect(length).toBeGreaterThanOrEqual(15);
      expect(length).toBeLessThanOrEqual(34);
    }
  });

  it.each([
    ['a wrong last digit', 'My IBAN is |DE89370400440532013001|.'],
    ['a wrong last digit, grouped', 'My IBAN is |DE89 3704 0044 0532 0130 01|, thanks.'],
    ['groups with hyphens', 'The IBAN: |GB29-NWBK-6016-1331-9268-20|'],
    ['letters in the groups', 'IBAN |MT84 MALT 0110 0001 2345 MTLC AST0 02T| please'],
    ['letters in lower case', 'the iban |mt84 malt 0110 0001 2345 mtlc ast0 02t| please'],
    ['a digit too many', 'the iban is |DE89 3704 0044 0532 0130 000| okay'],
    ['a digit too few', 'Send it to my account |DE89 3704 0044 0532 0130 0| today.'],
    ['an unknown country', 'My IBAN is |ZZ12 3456 7890 1234 5678|.'],
    ['the fewest characters', 'My IBAN is |NO9386011117948|.'],
    ['the most characters', `My IBAN is |AA12${'3456'.repeat(7)}78|.`],
    ['lower case', 'my iban is |de89 3704 0044 0532 0130 01| and hers is unknown'],
    ['the country code apart', 'My IBAN is |DE 89 3704 0044 0532 0130 01|.'],
    ['no space after the cue', 'IBAN:|DE89370400440532013001|'],
    ['the cue after it', '|DE89 3704 0044 0532 0130 01| is my IBAN.'],
    ['a nearer cue of another kind', 'My IBAN for that order is |DE89 3704 0044 0532 0130 01|.'],
    ['a German cue', 'Meine Kontonummer lautet |DE89 3704 0044 0532 0130 01|.'],
  ])('are hidden after a cue: %s', async (_, marked) => {
    const [before = '', iban = '', after = ''] = marked.split('|');
    const { text, words } = await masked(before + iban + after);
    expect(text).toBe(before + iban.replace(/\w/gu, '*') + after);
    expect(words).toBeGreaterThan(0);
  });

  it.each([
    [
      'a wrong last digit',
      '|d e eight nine three seven zero four zero zero four four zero five three two zero one three zero zero one| thank you',
    ],
    ['more than 34 characters', `|d e ${'eight nine '.repeat(16).trim()}| eight nine eight nine`],
  ])('spelled out are hidden after a cue: %s', async (_, marked) => {
    const [, iban = '', after = ''] = marked.split('|');
    const { text } = await masked(`my iban is ${iban}${after}`);
    expect(text).toBe(`my iban is ${iban.replace(/\w/gu, '*')}${after}`);
  });

  it.each([
    'My tracking number is RR123456789DE, sent to account holders.',
    'The IBAN field takes 34 characters.',
    'Order DE89 3704 0044 0532 0130 01 has shipped.',
    'My account was opened in MI 2019 with 12 dollars.',
  ])('are not detected in %s', async (text) => {
    expect((await masked(text)).text).toBe(text);
  });
});
