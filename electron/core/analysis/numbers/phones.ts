import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { DigitGroup } from './runs.ts';

const COUNTRIES: Record<string, readonly CountryCode[]> = {
  en: ['US', 'GB', 'AU', 'IN', 'IE'],
  de: ['DE', 'AT', 'CH'],
  fr: ['FR', 'BE', 'CH'],
  es: ['ES', 'MX', 'AR', 'CO'],
  pt: ['PT', 'BR'],
  it: ['IT', 'CH'],
  nl: ['NL', 'BE'],
};

export type PhoneContext = {
  language: string;
  /** A telephone cue is near. */
  isCued: boolean;
  hasPlus: boolean;
  /** The span is the whole run, or between commas or full stops. */
  isDelimited: boolean;
};

/**
 * Whether digit groups are a telephone number: international numbers by libphonenumber's metadata; North American ones
 * by their 3-3-4 shape, since the metadata rejects the fictional 555-01xx; national ones with a trunk zero by the
 * metadata of countries of the transcript's language. With a cue, 7 to 15 digits are enough.
 */
export const isPhone = (groups: readonly DigitGroup[], context: PhoneContext): boolean => {
  if (groups.slice(1).some((group) => /[/:]/u.test(group.before))) return false;
  const digits = groups.map((group) => group.digits).join('');
  if (digits.length < 7 || digits.length > 15 || /^(\d)\1+$/u.test(digits)) return false;
  if (context.hasPlus) return parsePhoneNumberFromString(`+${digits}`)?.isPossible() ?? false;
  if (context.isCued) return context.isDelimited;
  return context.isDelimited && hasPhoneShape(groups, digits, context.language);
};

const hasPhoneShape = (groups: readonly DigitGroup[], digits: string, language: string): boolean => {
  const shape = groups.map((group) => group.digits.length).join('-');
  const spoken = groups.length > 4;
  const american = digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
  const area = /^[2-9]\d{2}/u.test(american);
  if (area && /^(?:1-)?3-3-4$/u.test(shape) && american.length === 10) return true;
  if (area && spoken && american.length === 10) return true;
  if (area && american.length === 10 && parsePhoneNumberFromString(american, 'US')?.isValid()) return true;
  if (shape === '3-4' && groups[1]?.before === '-' && area) return true;
  if (digits.length === 7 && spoken && digits.startsWith('555')) return true;
  if (!digits.startsWith('0') || groups.length < 2) return false;
  const international = digits.startsWith('00') ? `+${digits.slice(2)}` : undefined;
  if (international) return parsePhoneNumberFromString(international)?.isValid() ?? false;
  return nationalCountries(language).some((country) =>
    parsePhoneNumberFromString(digits, country)?.isValid(),
  );
};

const nationalCountries = (language: string): readonly CountryCode[] => {
  const own = COUNTRIES[language.slice(0, 2)];
  if (own) return own;
  const guess = language.slice(0, 2).toUpperCase();
  return isSupportedCountry(guess) ? [guess] : [];
};
