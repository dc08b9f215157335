/**
 * The languages Whisper knows, as ISO 639-1 codes (639-3 if there is none: `haw`, `yue`),
 * with their English names. Order and names are Whisper's own.
 */
export const LANGUAGES = {
  en: 'English',
  zh: 'Chinese',
  de: 'German',
  es: 'Spanish',
  ru: 'Russian',
  ko: 'Korean',
  fr: 'French',
  ja: 'Japanese',
  pt: 'Portuguese',
  tr: 'Turkish',
  pl: 'Polish',
  ca: 'Catalan',
  nl: 'Dutch',
  ar: 'Arabic',
  sv: 'Swedish',
  it: 'Italian',
  id: 'Indonesian',
  hi: 'Hindi',
  fi: 'Finnish',
  vi: 'Vietnamese',
  he: 'Hebrew',
  uk: 'Ukrainian',
  el: 'Greek',
  ms: 'Malay',
  cs: 'Czech',
  ro: 'Romanian',
  da: 'Danish',
  hu: 'Hungarian',
  ta: 'Tamil',
  no: 'Norwegian',
  th: 'Thai',
  ur: 'Urdu',
  hr: 'Croatian',
  bg: 'Bulgarian',
  lt: 'Lithuanian',
  la: 'Latin',
  mi: 'Maori',
  ml: 'Malayalam',
  cy: 'Welsh',
  sk: 'Slovak',
  te: 'Telugu',
  fa: 'Persian',
  lv: 'Latvian',
  bn: 'Bengali',
  sr: 'Serbian',
  az: 'Azerbaijani',
  sl: 'Slovenian',
  kn: 'Kannada',
  et: 'Estonian',
  mk: 'Macedonian',
  br: 'Breton',
  eu: 'Basque',
  is: 'Icelandic',
  hy: 'Armenian',
  ne: 'Nepali',
  mn: 'Mongolian',
  bs: 'Bosnian',
  kk: 'Kazakh',
  sq: 'Albanian',
  sw: 'Swahili',
  gl: 'Galician',
  mr: 'Marathi',
  pa: 'Punjabi',
  si: 'Sinhala',
  km: 'Khmer',
  sn: 'Shona',
  yo: 'Yoruba',
  so: 'Somali',
  af: 'Afrikaans',
  oc: 'Occitan',
  ka: 'Georgian',
  be: 'Belarusian',
  tg: 'Tajik',
  sd: 'Sindhi',
  gu: 'Gujarati',
  am: 'Amharic',
  yi: 'Yiddish',
  lo: 'Lao',
  uz: 'Uzbek',
  fo: 'Faroese',
  ht: 'Haitian Creole',
  ps: 'Pashto',
  tk: 'Turkmen',
  nn: 'Nynorsk',
  mt: 'Maltese',
  sa: 'Sanskrit',
  lb: 'Luxembourgish',
  my: 'Myanmar',
  bo: 'Tibetan',
  tl: 'Tagalog',
  mg: 'Malagasy',
  as: 'Assamese',
  tt: 'Tatar',
  haw: 'Hawaiian',
  ln: 'Lingala',
  ha: 'Hausa',
  ba: 'Bashkir',
  jw: 'Javanese',
  su: 'Sundanese',
  yue: 'Cantonese',
} as const;

/** Codes of Chinese with a region or a script, and the script that each is written in. */
export const CHINESE_REGIONS: Readonly<Record<string, 'simplified' | 'traditional'>> = {
  'zh-CN': 'simplified',
  'zh-SG': 'simplified',
  'zh-Hans': 'simplified',
  'zh-TW': 'traditional',
  'zh-HK': 'traditional',
  'zh-MO': 'traditional',
  'zh-Hant': 'traditional',
};

/** The language of a tag: `zh` of `zh-Hant`. */
export const languageOfTag = (tag: string): string => tag.split('-', 1)[0] ?? tag;

export type LanguageCode = keyof typeof LANGUAGES;

export const isLanguageCode = (code: string): code is LanguageCode => Object.hasOwn(LANGUAGES, code);
export const LANGUAGE_CODES = Object.keys(LANGUAGES).filter(isLanguageCode);

/** Names that Whisper takes besides those above. */
const OTHER_NAMES: Readonly<Record<string, LanguageCode>> = {
  burmese: 'my',
  castilian: 'es',
  flemish: 'nl',
  haitian: 'ht',
  letzeburgesch: 'lb',
  mandarin: 'zh',
  moldavian: 'ro',
  moldovan: 'ro',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  valencian: 'ca',
};
const CODES_BY_NAME: ReadonlyMap<string, string> = new Map([
  ...LANGUAGE_CODES.map((code): [string, string] => [LANGUAGES[code].toLowerCase(), code]),
  ...Object.entries(OTHER_NAMES),
]);
/** Whisper's codes of languages that ISO 639-1 writes otherwise. */
const WHISPER_CODES: Readonly<Record<string, LanguageCode>> = { fil: 'tl', jv: 'jw', nb: 'no' };

const canonicalTag = (text: string): string => {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0] ?? text;
  } catch {
    // No language tag: the schema says so.
    return text;
  }
};

/**
 * A language as programs write it (`EN`, `en-US`, `eng`, `english`, `iw`, `auto`) in the form that our API takes. Text that names none stays
 * as it is.
 */
export const languageOf = (text: string): string => {
  const name = text.trim().toLowerCase();
  if (name === '' || name === 'auto') return 'auto';
  const named = CODES_BY_NAME.get(name);
  if (named !== undefined) return named;
  if (isLanguageCode(name)) return name;
  const tag = canonicalTag(name);
  if (Object.hasOwn(CHINESE_REGIONS, tag)) return tag;
  const language = languageOfTag(tag);
  const code = WHISPER_CODES[language] ?? language;
  return isLanguageCode(code) ? code : text;
};
