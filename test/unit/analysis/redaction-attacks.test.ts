import { describe, expect, it } from 'vitest';
import { PII_SUBSTITUTIONS, type PiiSubstitution } from '../../../electron/contract/analysis.ts';
import { redact, turnOf } from './support/stability.ts';
import { transcriptOf } from './support/transcripts.ts';

/** Language, text, and what must not stay of it, in the text or in its words. */
const ATTACKS: readonly (readonly [language: string, text: string, secrets: readonly string[]])[] = [
  ['en', '|name|phone|\n|Maria Lopez|555-014-2367|', ['Lopez', '555-014', '2367']],
  ['en', 'Reach me:maria@example.com;cell:555-014-2367.', ['maria', '2367']],
  ['en', '`maria.lopez@example.com`', ['maria', 'lopez']],
  ['en', '<maria@example.com>,<tel:+1-555-014-2367>', ['maria', '2367']],
  ['en', '[Maria Lopez](mailto:maria@example.com)', ['Lopez', 'maria@']],
  ['en', '**Phone:** 555-014-2367', ['2367']],
  ['en', '~~555-014-2367~~ is old, __555-014-9988__ is new', ['2367', '9988']],
  ['en', '> My SSN: 123-45-6789', ['6789']],
  ['en', 'SSN=123456789&name=Maria', ['123456789']],
  ['en', '{"ssn":"123-45-6789","phone":"555-014-2367"}', ['6789', '2367']],
  ['en', '<phone>555-014-2367</phone><ssn>123-45-6789</ssn>', ['2367', '6789']],
  ['en', 'phone=5550142367&card=4111111111111111', ['5550142367', '4111111111111111']],
  ['en', 'https://example.com/?phone=5550142367&ssn=123-45-6789', ['5550142367', '6789']],
  ['en', 'Call me at 5.5.5.0.1.4.2.3.6.7', ['2.3.6.7', '5.5.5']],
  ['en', 'My number is 5 5 5 0 1 4 2 3 6 7', ['2 3 6 7']],
  ['en', 'My number is 5-5-5-0-1-4-2-3-6-7', ['2-3-6-7']],
  ['en', 'My number is 555.014.2367', ['2367']],
  ['en', 'My number is 555\u2009014\u20092367', ['2367']],
  ['en', 'My number is 555\u202f014\u202f2367', ['2367']],
  ['en', 'My number is 555~014~2367', ['2367']],
  ['en', 'My number is 555*014*2367', ['2367']],
  ['en', 'My number is 555|014|2367', ['2367']],
  ['en', 'My number is 555:014:2367', ['2367']],
  ['en', 'My number is 555+014+2367', ['2367']],
  ['en', 'My number is 555=014=2367', ['2367']],
  ['en', 'My number is 555→014→2367', ['2367']],
  ['en', 'My number is 555 (pause) 014 (pause) 2367', ['2367']],
  ['en', 'My number is 555, um, 014, uh, 2367', ['2367']],
  ['en', 'My number is 555\n014\n2367', ['2367']],
  ['en', 'My number is ⁵⁵⁵-⁰¹⁴-²³⁶⁷', ['⁶⁷']],
  ['en', 'My number is ⑤⑤⑤-⓪①④-②③⑥⑦', ['⑥⑦']],
  ['en', 'My number is 5️⃣5️⃣5️⃣0️⃣1️⃣4️⃣2️⃣3️⃣6️⃣7️⃣', ['6️⃣7️⃣']],
  ['en', 'My number is 𝟝𝟝𝟝-𝟘𝟙𝟜-𝟚𝟛𝟞𝟟', ['𝟞𝟟']],
  ['en', 'My number is 555-O14-2367', ['2367']],
  ['en', 'My number is five five five zero one four two three six seven', ['six seven']],
  ['en', 'My number is five-five-five, zero-one-four, two-three-six-seven', ['six-seven']],
  ['en', 'My number is fivefivefivezeroonefourtwothreesixseven', ['sixseven']],
  ['en', 'My number is triple five, oh fourteen, twenty-three sixty-seven', ['sixty-seven']],
  ['en', 'call me on nine one seven, then five five five, then oh one two three', ['one two three']],
  ['en', 'the last four are 6 7 8 9 and my social starts with 1 2 3 4 5', ['6 7 8 9', '1 2 3 4 5']],
  ['en', 'My email is maria AT example DOT com', ['maria']],
  ['en', 'My email is maria at sign example period com', ['maria']],
  ['en', 'My email is m a r i a at example dot com', ['m a r i a']],
  ['en', 'My email is m-a-r-i-a at gmail dot com', ['m-a-r-i-a']],
  ['en', 'My email is maria{at}example{dot}com', ['maria']],
  ['en', 'My email is maria <at> example <dot> com', ['maria']],
  ['en', 'My email is maria_at_example_dot_com', ['maria_at']],
  ['en', 'My email is maria-at-example-dot-com', ['maria-at']],
  ['en', 'My email is maria @ example . com', ['maria']],
  ['en', 'My email is maria@example,com', ['maria']],
  ['en', 'My email is maria＠example。com', ['maria']],
  ['en', 'My email is mаria@example.com (Cyrillic a)', ['ria@']],
  ['en', 'My email is maria underscore lopez ninety two at hotmail dot co dot uk', ['lopez', 'ninety']],
  ['en', 'My email is lopez dot maria plus spam at proton mail dot com', ['lopez']],
  ['en', 'maria@münchen-example.de', ['maria']],
  ['en', 'мария@пример.рф', ['мария']],
  ['en', '"maria lopez"@example.com', ['lopez']],
  ['en', 'maria@[192.168.10.44]', ['maria', '10.44']],
  ['en', 'maria%lopez@example.com', ['lopez']],
  ['en', 'The password is: "correct horse battery staple".', ['horse', 'battery']],
  ['en', 'pw: hunter2', ['hunter2']],
  ['en', 'pass: hunter2', ['hunter2']],
  ['en', 'PASSWORD→hunter2', ['hunter2']],
  ['en', 'Password\nhunter2', ['hunter2']],
  ['en', 'the wifi password is all lowercase bluefish nine nine', ['bluefish']],
  ['en', 'My passcode? It is 4821.', ['4821']],
  ['en', 'use hunter2 as the password', ['hunter2']],
  ['en', 'My pin is forty-eight twenty-one.', ['twenty-one']],
  ['en', 'token: ghp_16C7e42F292c6912E7710c838347Ae178B4a', ['ghp_16C7']],
  ['en', 'api key sk-live-51H8abcdEFGH9876', ['sk-live']],
  [
    'en',
    'My IBAN is D E eight nine, three seven oh four, oh oh four four, oh five three two, oh one three oh, oh oh',
    ['three seven oh four'],
  ],
  ['en', 'IBAN:DE89370400440532013000.', ['3704']],
  ['en', 'DE89|3704|0044|0532|0130|00', ['3704']],
  ['en', 'card 4111-1111-1111-1111 exp 12/27 cvv 123', ['4111', '12/27', '123']],
  ['en', 'card 4111.1111.1111.1111', ['4111']],
  ['en', 'card:4111_1111_1111_1111!', ['4111']],
  ['en', 'four one one one, one one one one, one one one one, one one one one', ['one one one one']],
  ['en', 'I live at 221B Baker Street, London NW1 6XE', ['Baker']],
  ['en', 'DOB: 03/14/1985', ['1985']],
  ['en', 'born 14.03.1985', ['1985']],
  ['en', 'passport:X1234567', ['X1234567']],
  ['en', 'Passport # X1234567', ['X1234567']],
  ['en', 'passport (X1234567)', ['X1234567']],
  ['en', 'my passport, number X as in x-ray, 1 2 3 4 5 6 7', ['1 2 3 4 5 6 7']],
  ['en', 'license plate ABC-1234', ['ABC-1234', '1234']],
  ['en', 'VIN 1HGCM82633A004352', ['A004352']],
  ['en', 'IP 192[.]168[.]10[.]44', ['168']],
  ['en', 'hxxps://maria[.]example[.]com/login', ['maria']],
  ['en', '2001:db8:85a3::8a2e:370:7334', ['7334']],
  ['de', 'Meine Nummer: null sieben sechs eins, eins zwei drei vier fünf sechs sieben', ['fünf sechs']],
  ['de', 'Tel.:0761/1234567', ['1234567']],
  ['de', 'Ruf mich an:0176-12345678', ['12345678']],
  ['de', 'maria punkt lopez ät beispiel punkt de', ['lopez']],
  ['de', 'maria.lopez(ät)beispiel.de', ['lopez']],
  ['de', 'Mein Passwort lautet „geheim42“, okay?', ['geheim42']],
  ['de', 'IBAN DE 89 3704 0044 0532 0130 00', ['3704']],
  ['fr', 'Mon numéro : 06.12.34.56.78', ['34.56']],
  ['fr', 'zéro six, douze, trente-quatre, cinquante-six, soixante-dix-huit', ['cinquante-six']],
  ['fr', 'mon mail : maria arobase exemple point fr', ['maria']],
  ['fr', 'mot de passe :soleil42', ['soleil42']],
  ['es', 'Mi teléfono:612345678', ['612345678']],
  ['es', 'seis uno dos, tres cuatro cinco, seis siete ocho', ['siete ocho']],
  ['es', 'maria arroba ejemplo punto es', ['maria']],
  ['es', 'mi contraseña es «girasol42»', ['girasol42']],
  ['ja', '電話番号は090-1234-5678です', ['5678']],
  ['ja', '電話:０９０－１２３４－５６７８', ['５６７８']],
  ['ru', 'Мой телефон +7 (912) 345-67-89', ['67-89']],
  ['ar', 'رقمي ٠٥٥٥١٢٣٤٥٦٧', ['٤٥٦٧']],
  ['hi', 'मेरा नंबर ९८७६५ ४३२१०', ['४३२१०']],
  ['zh', '我的手机号是13812345678，谢谢', ['12345678']],
  ['zh', '邮箱maria@example.com谢谢', ['maria']],
];

/** What still stays: digits and number words mixed inside one word. */
const EXCEPTIONS: typeof ATTACKS = [['en', 'My number is 5five5 0one4 2three67', ['67']]];

/** What stays of the secrets, in the text or in its words, after each of the substitutions. */
const staying = async (
  [language, text, secrets]: (typeof ATTACKS)[number],
  substitutions: readonly PiiSubstitution[],
): Promise<string[]> => {
  const left: string[] = [];
  for (const substitution of substitutions) {
    const { text: out, segments } = await redact(transcriptOf([text], language), substitution);
    const words = segments.flatMap((segment) => segment.words.map(({ word }) => word)).join(' ');
    left.push(...secrets.filter((secret) => out.includes(secret) || words.includes(secret)));
  }
  return left;
};

describe('what an attacker writes to keep a value from being found', () => {
  const cases = ATTACKS.map((attack, index) => [attack[0], attack[1], attack, index] as const);
  it.each(cases)('%s: %s', async (_language, _text, attack, index) => {
    expect(await staying(attack, turnOf(PII_SUBSTITUTIONS, index))).toEqual([]);
  });

  it('has a hundred texts, and one known exception', async () => {
    expect(ATTACKS.length).toBeGreaterThan(100);
    for (const exception of EXCEPTIONS) expect(await staying(exception, PII_SUBSTITUTIONS)).not.toEqual([]);
  });
});

const AROUND = [
  ...[
    '()',
    '""',
    '“”',
    '[]',
    '<>',
    '{}',
    '**',
    '‘’',
    '«»',
    "''",
    '__',
    '``',
    '||',
    '~~',
    '„“',
    '「」',
    '（）',
    '……',
    '==',
  ],
].map((signs): [string, string] => [signs.slice(0, 1), signs.slice(1)]);
const BEFORE_OR_AFTER: [string, string][] = [
  ...[',', '!', '?', ';', ':', '...', '\\'].map((sign): [string, string] => ['', sign]),
  ...['#', '>', '¿', '(“', '**', '__', '~~'].map((sign): [string, string] => [sign, '']),
  ['**', '**'],
  ['__', '__'],
  ['~~', '~~'],
  ['“(', ')”'],
  ['[', '](x)'],
];
const VALUES = [
  'maria@example.com',
  '555-014-2367',
  '4111 1111 1111 1111',
  'DE89 3704 0044 0532 0130 00',
  '123-45-6789',
  'https://maria.example.com/x',
  '192.168.10.44',
];

it.each([...AROUND, ...BEFORE_OR_AFTER])('keeps %s and %s around a value', async (before, after) => {
  for (const value of VALUES) {
    const { text } = await redact(transcriptOf([`Take ${before}${value}${after} home`]), 'hash');
    expect(text.replace(/\[[A-Z_]+_[0-9a-f]{8}\]/, 'TOKEN')).toBe(`Take ${before}TOKEN${after} home`);
  }
});

it.each(AROUND)('hides no more than the password between %s and %s', async (before, after) => {
  const { text } = await redact(transcriptOf([`The password is ${before}hunter2${after} at home.`]), 'hash');
  expect(text.replace(/\[[A-Z_]+_[0-9a-f]{8}\]/, 'TOKEN')).toBe(
    `The password is ${before}TOKEN${after} at home.`,
  );
});

describe('ordinary text', () => {
  it.each([
    'Pass: the exam was easy; pass: 3 out of 10 did.',
    'Passwords are important, usernames are fun, and the pins are sharp.',
    'The access key is under the mat; the session token expired yesterday.',
    'The ratio was 3:2:1; the last four are blue.',
    'The token of our thanks is here; see section a|b and c=d.',
    'Rate it 5/10, or 7.5 out of 10; 100+200=300.',
    'We met at 10:30:15, scored 3:2, and paid for 1,234,567 units.',
    'AT&T and Johnson & Johnson use C++, C# and R&D.',
    'Version 1.2.3-beta.4 of a/b tests; see chapter 3, verse 16.',
    'She said "wait…what?" and {laughed} ~ twice.',
  ])('keeps its codes and numbers: %s', async (text) => {
    const { text: out } = await redact(transcriptOf([text]), 'hash');
    expect(out).not.toMatch(/\[(?:PASSWORD|PHONE_NUMBER|NUMBER_SEQUENCE|EMAIL_ADDRESS|USERNAME)_/);
  });
});
