import { describe, expect, it } from 'vitest';
import { PII_SUBSTITUTIONS, type PiiPolicyName } from '../../../electron/contract/analysis.ts';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import { foldText } from '../../../electron/core/analysis/fold.ts';
import { turnOf } from './support/stability.ts';
import { transcriptOf } from './support/transcripts.ts';

type Language = 'en' | 'de' | 'fr' | 'es';
type Row = readonly [language: Language, text: string, value: string, policy: PiiPolicyName];

const digitsFrom =
  (zero: number) =>
  (value: string): string =>
    value.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const joinedBy =
  (sign: string) =>
  (value: string): string =>
    value.replaceAll('-', sign);
const fullWidth = (value: string): string =>
  value.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0));

/** Spellings of a number written with hyphens. */
const NUMBER_FORMS = {
  'full-width digits': digitsFrom(0xff10),
  'full-width throughout': fullWidth,
  'Arabic-Indic digits': digitsFrom(0x0660),
  'Persian digits': digitsFrom(0x06f0),
  'Devanagari digits': digitsFrom(0x0966),
  'Bengali digits': digitsFrom(0x09e6),
  'Thai digits': digitsFrom(0x0e50),
  'mathematical digits': digitsFrom(0x1d7ce),
  'U+2010': joinedBy('\u2010'),
  'U+2011': joinedBy('\u2011'),
  'figure dashes': joinedBy('\u2012'),
  'en dashes': joinedBy('–'),
  'em dashes': joinedBy('—'),
  'minus signs': joinedBy('\u2212'),
  'spaced hyphens': joinedBy(' - '),
  'spaced en dashes': joinedBy(' – '),
  underscores: joinedBy('_'),
  slashes: joinedBy('/'),
  commas: joinedBy(','),
  'zero-width spaces': joinedBy('-\u200b'),
  'soft hyphens': joinedBy('-\u00ad'),
  'superscript digits': (value) => value.replaceAll(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit))),
  'circled digits': (value) => value.replaceAll(/\d/g, (digit) => '⓪①②③④⑤⑥⑦⑧⑨'.charAt(Number(digit))),
  keycaps: (value) => value.replaceAll(/\d/g, '$&\ufe0f\u20e3'),
  'Tamil digits': digitsFrom(0x0be6),
  'Khmer digits': digitsFrom(0x17e0),
  dots: joinedBy('.'),
  spaces: joinedBy(' '),
  'no-break spaces': joinedBy('\u00a0'),
  'narrow no-break spaces': joinedBy('\u202f'),
  'line breaks': joinedBy('\n'),
  pipes: joinedBy('|'),
  tildes: joinedBy('~'),
  'digits one by one': (value) => value.replaceAll('-', '').split('').join(' '),
  'digits with hyphens': (value) => value.replaceAll('-', '').split('').join('-'),
} as const satisfies Record<string, (value: string) => string>;

const NUMBER_SENTENCES: readonly Row[] = [
  ['en', 'My phone number is VALUE, call me.', '555-014-2367', 'phone_number'],
  ['de', 'Meine Telefonnummer ist VALUE, bitte.', '0761-123-4567', 'phone_number'],
  ['fr', 'Mon numéro de téléphone est VALUE, merci.', '555-014-2367', 'phone_number'],
  ['es', 'Mi teléfono es VALUE, gracias.', '555-014-2367', 'phone_number'],
  ['en', 'My card number is VALUE, thanks.', '4111-1111-1111-1111', 'credit_card_number'],
  ['de', 'Meine Kreditkarte ist VALUE, danke.', '4111-1111-1111-1111', 'credit_card_number'],
  ['fr', 'Ma carte est VALUE, merci.', '4111-1111-1111-1111', 'credit_card_number'],
  ['es', 'Mi tarjeta es VALUE, gracias.', '4111-1111-1111-1111', 'credit_card_number'],
  ['en', 'My bank account number is VALUE, okay.', '1234-567890', 'bank_account'],
  ['de', 'Meine Kontonummer ist VALUE, danke.', '1234-567890', 'bank_account'],
  ['es', 'Mi número de cuenta es VALUE, gracias.', '1234-567890', 'bank_account'],
  ['en', 'My social security number is VALUE, okay.', '123-45-6789', 'us_social_security_number'],
];

const numberRows = Object.entries(NUMBER_FORMS).flatMap(([form, write]) =>
  NUMBER_SENTENCES.map(([language, text, number, policy]): readonly [string, Row] => {
    const value = write(number);
    return [form, [language, text.replace('VALUE', value), value, policy]];
  }),
);

const CODES: Record<Language, readonly (readonly [string, string, PiiPolicyName])[]> = {
  en: [
    ['passport no. VALUE', 'X1234567', 'passport_number'],
    ['My passport number VALUE', 'X1234567', 'passport_number'],
    ['Passport No.: VALUE', 'X1234567', 'passport_number'],
    ['passport = VALUE', 'X1234567', 'passport_number'],
    ['driver license VALUE', 'B7654321', 'drivers_license'],
    ['My driver license number is VALUE', 'B7654321', 'drivers_license'],
    ["driver's license no. VALUE", 'B7654321', 'drivers_license'],
    ['password = VALUE', 'hunter2', 'password'],
    ['password=VALUE', 'hunter2', 'password'],
    ['password:VALUE', 'hunter2', 'password'],
    ['password -> VALUE', 'swordfish', 'password'],
    ['password changed to VALUE', 'swordfish', 'password'],
    ['My password has been changed to VALUE', 'swordfish', 'password'],
    ['The password was reset to VALUE', 'swordfish', 'password'],
    ['The password is now VALUE', 'swordfish', 'password'],
    ['The password will be VALUE', 'swordfish', 'password'],
    ['pwd: VALUE', 'hunter2', 'password'],
    ['login = VALUE', 'mlopez42', 'username'],
  ],
  de: [
    ['Reisepass Nr. VALUE', 'C01X00T47', 'passport_number'],
    ['Meine Reisepassnummer ist VALUE', 'C01X00T47', 'passport_number'],
    ['Führerschein Nr. VALUE', 'B072RRE2I55', 'drivers_license'],
    ['Passwort = VALUE', 'geheim42', 'password'],
    ['Passwort geändert auf VALUE', 'geheim42', 'password'],
    ['Das Passwort wurde geändert zu VALUE', 'schwertfisch', 'password'],
    ['Das Kennwort heißt VALUE', 'schwertfisch', 'password'],
  ],
  fr: [
    ['passeport n° VALUE', '12AB34567', 'passport_number'],
    ['passeport numéro VALUE', '12AB34567', 'passport_number'],
    ['permis de conduire n° VALUE', '123456789012', 'drivers_license'],
    ['mot de passe = VALUE', 'soleil42', 'password'],
    ['mot de passe changé en VALUE', 'soleil', 'password'],
  ],
  es: [
    ['pasaporte nº VALUE', 'XDD123456', 'passport_number'],
    ['pasaporte número VALUE', 'XDD123456', 'passport_number'],
    ['permiso de conducir VALUE', '12345678Z', 'drivers_license'],
    ['contraseña = VALUE', 'girasol42', 'password'],
    ['contraseña cambiada a VALUE', 'girasol', 'password'],
  ],
};

const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
const codeRows = LANGUAGES.flatMap((language) =>
  CODES[language].flatMap(([text, value, policy]) =>
    [value, fullWidth(value)].map((written): readonly [string, Row] => [
      written === value ? 'ASCII' : 'full-width throughout',
      [language, `${text.replace('VALUE', written)}.`, written, policy],
    ]),
  ),
);

const ADDRESSES = [
  'maria(at)example(dot)com',
  'maria (at) example (dot) com',
  'maria[at]example[dot]com',
  'maria [at] example.com',
  'maria＠example.com',
  'maria＠example．com',
  fullWidth('maria@example.com'),
  'maria@\u200bexample.com',
  'maria dot lopez at example. dot com',
  'maria. dot lopez at example dot com',
  'maria dot. lopez at example dot com',
  'maria dot lopez. at example dot com',
  'maria dot lopez at. example dot com',
  'maria dot lopez at example dot. com',
  'maria dot lopez at example, dot com',
];
const MAIL_SENTENCES = {
  en: 'My email is VALUE, thanks.',
  de: 'Meine E-Mail ist VALUE, danke.',
  fr: 'Mon email est VALUE, merci.',
  es: 'Mi correo es VALUE, gracias.',
} as const;
const addressRows = LANGUAGES.flatMap((language) =>
  ADDRESSES.map((value): readonly [string, Row] => [
    'address',
    [language, MAIL_SENTENCES[language].replace('VALUE', value), value, 'email_address'],
  ]),
);

const rows = [...numberRows, ...codeRows, ...addressRows];

/** Runs of at least three letters or digits, which must not survive. */
const partsOf = (value: string): string[] =>
  (value.match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter((part) => !/^(?:dot|com)$/iu.test(part));

const TOKEN = /\[[A-Z_]+_[0-9a-f]{8}\]/g;

describe('forms that hide a value', () => {
  const cases = rows.map(([form, row], index) => [form, row, index] as const);
  it.each(cases)('%s: %s', async (form, [language, text, value, policy], index) => {
    for (const redact_pii_sub of turnOf(PII_SUBSTITUTIONS, index)) {
      const { redacted } = await analyze(
        transcriptOf([text], language),
        { redact_pii: true, redact_pii_policies: [policy], redact_pii_sub },
        { secret: 'secret' },
      );
      const words = redacted?.segments.flatMap((segment) => segment.words.map((word) => word.word)) ?? [];
      const out = [redacted?.text, ...words].join(' ');
      for (const part of partsOf(value)) expect(out).not.toContain(part);
      if (form in NUMBER_FORMS) expect(out.replaceAll(TOKEN, '')).not.toMatch(/\p{N}/u);
    }
  });

  it('cover 550 rows', () => {
    expect(rows).toHaveLength(550);
  });
});

describe('what looks alike', () => {
  it.each([
    'From 2019 - 2021 we sold 1,234,567 units.',
    'We met on 2021 and the score was 10 - 12.',
    'The password changed. It has been reset.',
    'The answer is no. 5 people came.',
    'He arrived (at) noon.',
  ])('stays: %s', async (text) => {
    const { redacted } = await analyze(
      transcriptOf([text]),
      {
        redact_pii: true,
        redact_pii_policies: ['phone_number', 'password', 'email_address', 'number_sequence'],
      },
      { secret: 'secret' },
    );
    expect(redacted?.text).toBe(text);
  });

  it('folds to the same token as the plain form', async () => {
    const { redacted } = await analyze(
      transcriptOf(['Call 555-014-2367, or ٥٥٥-٠١٤-٢٣٦٧, or 555 - 014 - 2367, or 555_014_2367.']),
      { redact_pii: true },
      { secret: 'secret' },
    );
    expect(new Set(redacted?.text.match(/\[[A-Z_]+_[0-9a-f]{8}\]/g)).size).toBe(1);
  });
});

describe('foldText', () => {
  it('maps spans of the folded text back to the original', () => {
    const original = 'a \u00ad５５５ - 014 – 2367, maria(at)example(dot)com';
    const { text, toOriginal } = foldText(original);
    expect(text).toBe('a 555-014-2367, maria@example.com');
    const slice = (value: string) => {
      const from = text.indexOf(value);
      const span = toOriginal({ from, to: from + value.length });
      return original.slice(span.from, span.to);
    };
    expect(slice('555-014-2367')).toBe('５５５ - 014 – 2367');
    expect(slice('maria@example.com')).toBe('maria(at)example(dot)com');
  });
});
