import { getCountrySpecifications } from 'ibantools';
import { luhnChecksumValidate } from 'stdnum/lib/cjs/util/checksum.js';

const ISSUERS = [
  /^4(?:\d{12}|\d{15}|\d{18})$/u,
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/u,
  /^3[47]\d{13}$/u,
  /^3(?:0[0-5]|[68]\d)\d{11}$/u,
  /^(?:6011|64[4-9]\d|65\d\d)\d{12}$/u,
  /^35(?:2[89]|[3-8]\d)\d{12}$/u,
  /^62\d{14,17}$/u,
  /^(?:50|5[6-9]|6\d)\d{10,17}$/u,
];

/** Whether digits are a payment card number: an issuer's prefix and length, and the Luhn check digit. */
export const isCardNumber = (digits: string): boolean =>
  ISSUERS.some((issuer) => issuer.test(digits)) && luhnChecksumValidate(digits);

/**
 * Whether digits are a US social security number in a range that was ever issued (SSA: no 000, 666, 9xx; no 00; no 0000). stdnum
 * refuses those that were published, as in examples.
 */
export const isSocialSecurityNumber = (digits: string): boolean =>
  /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/u.test(digits);

/** Whether digits are a US bank routing number: prefix ranges and the ABA's 3-7-1 checksum. */
export const isRoutingNumber = (digits: string): boolean => {
  if (!/^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/u.test(digits)) return false;
  const weights = [3, 7, 1];
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * (weights[index % 3] ?? 0),
    0,
  );
  return sum % 10 === 0;
};

const IBAN_COUNTRIES = getCountrySpecifications();

/** The length of a country's IBANs (ISO 3166 code in upper case), including countries outside SWIFT's registry. */
export const ibanLength = (country: string): number | undefined =>
  IBAN_COUNTRIES[country]?.chars ?? undefined;

/** Whether a value in upper case without spaces is an IBAN (ISO 13616): the country's length and check digits modulo 97. */
export const isIban = (value: string): boolean => {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/u.test(value) || value.length !== ibanLength(value.slice(0, 2)))
    return false;
  const digits = (value.slice(4) + value.slice(0, 4)).replace(/[A-Z]/gu, (letter) =>
    String(Number.parseInt(letter, 36)),
  );
  return BigInt(digits) % 97n === 1n;
};

/** Whether octets are an IPv4 address: four decimal numbers from 0 to 255. */
export const isIpv4 = (octets: readonly string[]): boolean =>
  octets.length === 4 && octets.every((octet) => /^\d{1,3}$/u.test(octet) && Number(octet) <= 255);
