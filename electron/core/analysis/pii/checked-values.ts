import { wordlist as english } from '@scure/bip39/wordlists/english.js';
import { wordlist as french } from '@scure/bip39/wordlists/french.js';
import { wordlist as italian } from '@scure/bip39/wordlists/italian.js';
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese.js';
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js';
import { isValidBIC } from 'ibantools';
import * as cl from 'stdnum/lib/cjs/cl/index.js';
import * as de from 'stdnum/lib/cjs/de/index.js';
import * as es from 'stdnum/lib/cjs/es/index.js';
import * as fr from 'stdnum/lib/cjs/fr/index.js';
import * as gb from 'stdnum/lib/cjs/gb/index.js';
import * as india from 'stdnum/lib/cjs/in/index.js';
import * as it from 'stdnum/lib/cjs/it/index.js';
import * as mx from 'stdnum/lib/cjs/mx/index.js';
import * as nl from 'stdnum/lib/cjs/nl/index.js';
import * as pt from 'stdnum/lib/cjs/pt/index.js';
import isBtcAddress from 'validator/lib/isBtcAddress.js';
import isEthereumAddress from 'validator/lib/isEthereumAddress.js';
import isMACAddress from 'validator/lib/isMACAddress.js';
import { spelledPartsFrom } from '../entities/spelled.ts';
import { type DetectedSpan, hiddenSpan } from '../spans.ts';
import type { Token } from '../tokens.ts';

type Validator = { readonly validate: (value: string) => { readonly isValid: boolean } };

/** Ids with letters and check digits, by language. Long numbers without letters are hidden anyway. */
const IDS: Readonly<Record<string, readonly Validator[]>> = {
  en: [gb.nino, gb.vat, india.pan, india.gstin],
  de: [de.svnr, de.passport, de.vat],
  fr: [fr.nir, fr.tva],
  es: [es.dni, es.nie, es.cif, mx.curp, mx.rfc, cl.rut],
  pt: [pt.cc],
  it: [it.codicefiscale],
  nl: [nl.btw],
};
const SEED_WORDS = [english, french, italian, portuguese, spanish].map((words) => new Set(words));
/** The shortest seed phrase (BIP-39). */
const MIN_SEED = 12;
const MAX_PARTS = 10;
const SCORE = 72;

/** The last part of the longest id that begins with the first one; -1 for none. */
const lastOfId = (parts: readonly { readonly value: string }[], validators: readonly Validator[]): number =>
  parts.findLastIndex((_, last) => {
    const value = parts
      .slice(0, last + 1)
      .map((part) => part.value)
      .join('');
    return (
      /^(?=.*\d)(?=.*[A-Z])[A-Z\d]{8,18}$/u.test(value) &&
      validators.some(({ validate }) => validate(value).isValid)
    );
  });

const seedAt = (tokens: readonly Token[], at: number): number => {
  const ends = SEED_WORDS.map((words) => {
    let end = at;
    while (words.has(tokens[end]?.norm ?? '')) end += 1;
    return end;
  });
  const end = Math.max(...ends);
  return end - at >= MIN_SEED ? end - 1 : -1;
};

/** Values that prove themselves by check digits, shape or vocabulary, in tokens whose spoken numbers are read as digits. */
export const findCheckedValues = (tokens: readonly Token[], language: string): DetectedSpan[] => {
  const validators = IDS[language.slice(0, 2)] ?? [];
  const found: DetectedSpan[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token || token.isBlocked) continue;
    const add = (policy: DetectedSpan['policy'], last: Token = token) =>
      found.push(hiddenSpan(policy, token.from, last.to, SCORE));
    const parts = spelledPartsFrom(tokens, at, MAX_PARTS);
    const id = parts[lastOfId(parts, validators)]?.token;
    const seed = tokens[seedAt(tokens, at)];
    if (id) add('number_sequence', id);
    else if (seed) add('password', seed);
    else if (isMACAddress.default(token.text)) add('ip_address');
    else if (isBtcAddress.default(token.text) || isEthereumAddress.default(token.text))
      add('number_sequence');
    else if (/^[A-Z\d]{8,11}$/u.test(token.text) && isValidBIC(token.text) && isBank(tokens, at))
      add('bank_account');
    at = (id ?? seed)?.index ?? at;
  }
  return found;
};

const isBank = (tokens: readonly Token[], at: number): boolean =>
  tokens.slice(Math.max(0, at - 4), at).some(({ norm }) => /^(?:bic|swift|swift-code)$/u.test(norm));
