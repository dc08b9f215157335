import type { Token } from '../tokens.ts';
import { numberWords } from './number-words.ts';

/** What the words around a number say that it is. */
export type NumberCue = (typeof PHRASES)[number][0];

const list = (phrases: string): string[] => phrases.split('|').map((phrase) => phrase.trim());

/** Cues of values that are numbers or codes of letters and digits. `PHRASES` adds the cues of numbers alone. */
export const VALUE_CUES = {
  passport: list(
    `passport|passports|passport number|passport numbers|passport no|passport id|reisepass|reisepassnummer|passnummer|pasaporte|
    número de pasaporte|passeport|numéro de passeport`,
  ),
  license: list(
    `driver's license|driver's licence|driver license|driver licence|driver license number|drivers license|drivers licence|driving licence|driving license|license number|
    licence number|driver's license number|führerschein|führerscheinnummer|permis de conduire|
    numéro de permis|permis|carnet de conducir|permiso de conducir|licencia de conducir|dl number`,
  ),
  vehicle: list(
    `license plate|licence plate|plate|plates|plate number|license plate number|number plate|registration number|vin|
    v i n|vin number|vehicle identification number|kennzeichen|matrícula|plaque`,
  ),
  password: list(
    `password|passwords|passwd|pwd|pw|passcode|passphrase|pass word|pin|pins|pin code|pin codes|pin number|passwort|passwörter|kennwort|mot de passe|mots de passe|contraseña|contraseñas`,
  ),
};

const PHRASES = [
  [
    'phone',
    `phone|phone number|telephone|telephone number|tel|cell|cell number|cellphone|mobile|mobile number|call|dial|text|fax|
    fax number|whatsapp|landline|hotline|ring|reach|extension|contact number|callback number|home number|work number|
    toll free|call me|call us|new line|line is|direct line|telefon|telefonnummer|handy|handynummer|rufnummer|nummer|anrufen|durchwahl|téléphone|
    numéro de téléphone|portable|appeler|appelez|teléfono|móvil|celular|número de teléfono|llamar|llame|llámame`,
  ],
  [
    'card',
    `card|card number|visa|mastercard|amex|american express|credit card|debit card|credit card number|card is|kreditkarte|
    kartennummer|carte|carte bancaire|carte bleue|tarjeta|tarjeta de crédito|numéro de carte`,
  ],
  [
    'ssn',
    `social|ssn|s s n|social security|social security number|ssn number|social is|last four of my social`,
  ],
  [
    'account',
    `account|account number|bank account|acct|checking|savings|iban|konto|kontonummer|compte|numéro de compte|cuenta|
    número de cuenta|bank account number|account no|beneficiary`,
  ],
  [
    'routing',
    `routing|routing number|aba|aba number|sort code|routing code|transit number|blz|bankleitzahl|bic`,
  ],
  [
    'cvv',
    `cvv|cvc|cvv2|c v v|c v c|security code|security number|verification code on the back|card code|prüfnummer`,
  ],
  [
    'expiry',
    `expires|expiry|expiration|exp|expiration date|expiry date|expires on|expires in|valid until|valid thru|valid through|
    good through|gültig bis`,
  ],
  [
    'order',
    `order|order number|invoice|invoice number|tracking|tracking number|reference|reference number|ticket|ticket number|
    case|case number|confirmation|confirmation number|serial|serial number|model|model number|part number|booking|
    flight|gate|room|bus|chapter|page|section|verse|article|item|product code|barcode|isbn|zip|zip code|postcode|
    population|score|bestellnummer|rechnungsnummer|commande|facture|pedido|factura|member|customer|employee|policy|
    claim|batch|lot|sku|transaction|order id`,
  ],
  ['version', 'version|firmware|release|build|versions|v|revision|kernel'],
  [
    'ip',
    'ip|ip address|i p|i p address|ping|server|router|gateway|subnet|dns|host|netmask|address|adresse|dirección',
  ],
  ['passport', 'pass'],
  ['license', 'license|licence'],
  ['vehicle', 'registration|tag number'],
  ['password', 'otp|access code'],
] as const;

const CUE_OF = new Map<string, NumberCue>([
  ...PHRASES.flatMap(([cue, phrases]) => list(phrases).map((phrase) => [phrase, cue] as const)),
  ...(['passport', 'license', 'vehicle', 'password'] as const).flatMap((cue) =>
    VALUE_CUES[cue].map((phrase) => [phrase, cue] as const),
  ),
]);

const REACH_BEFORE = 12;
const REACH_AFTER = 7;
/** A phrase that names the number outweighs a nearer word: "phone number on the account". */
const NAMED_BONUS = 6;
/** A cue before another number most likely belongs to that number. */
const CROSSED_PENALTY = 10;
const spokenDigits = numberWords('en').small;

/** The nearest cue before a token, else one right after the number ("… is my cell"). */
export const cueFor = (tokens: readonly Token[], first: number, last: number): NumberCue | undefined =>
  cueBefore(tokens, first) ?? cueAfter(tokens, last);

/** The nearest cue before a token, in words. Phrases that end in "number" or "code" count as nearer. */
export const cueBefore = (tokens: readonly Token[], first: number): NumberCue | undefined => {
  let best: NumberCue | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  let crossed = 0;
  for (let end = first - 1; end >= Math.max(0, first - REACH_BEFORE); end--) {
    const word = tokens[end]?.norm ?? '';
    if (/\d/u.test(word) || spokenDigits.has(word)) crossed = CROSSED_PENALTY;
    for (let length = 3; length >= 1; length--) {
      const phrase = phraseAt(tokens, end - length + 1, end);
      const cue = CUE_OF.get(phrase);
      if (!cue) continue;
      const score =
        crossed + first - 1 - end - (/(?:number|code|nummer)$/u.test(phrase) ? NAMED_BONUS : length - 1);
      if (score < bestScore) {
        best = cue;
        bestScore = score;
      }
      break;
    }
  }
  return best;
};

/** The cue right after a number: "… is my cell". */
export const cueAfter = (tokens: readonly Token[], last: number): NumberCue | undefined => {
  const links = tokens
    .slice(last + 1, last + 4)
    .findIndex((token) => /^(?:is|was|that's|as|for)$/u.test(token.norm));
  if (links < 0 || /[.!?]/u.test(tokens[last]?.trail ?? '')) return undefined;
  for (let start = last + 2 + links; start <= last + REACH_AFTER; start++) {
    for (let length = 3; length >= 1; length--) {
      const cue = CUE_OF.get(phraseAt(tokens, start, start + length - 1));
      if (cue) return cue;
    }
    if (/[.!?]/u.test(tokens[start]?.trail ?? '')) return undefined;
  }
  return undefined;
};

/** Whether a cue is within reach before a token, even if another cue is nearer. */
export const hasCueBefore = (tokens: readonly Token[], first: number, cue: NumberCue): boolean => {
  for (let end = first - 1; end >= Math.max(0, first - REACH_BEFORE); end--) {
    for (let length = 1; length <= 3; length++) {
      if (CUE_OF.get(phraseAt(tokens, end - length + 1, end)) === cue) return true;
    }
  }
  return false;
};

const phraseAt = (tokens: readonly Token[], first: number, last: number): string => {
  if (first < 0) return '';
  let phrase = '';
  for (let index = first; index <= last; index++)
    phrase += `${index > first ? ' ' : ''}${tokens[index]?.stem ?? ''}`;
  return phrase;
};
