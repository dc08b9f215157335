import { z } from 'zod';

export const ENTITY_TYPES = [
  'person',
  'location',
  'organization',
  'event',
  'product',
  'date',
  'phone_number',
  'email',
  'url',
  'ip_address',
  'credit_card',
  'bank_account',
  'ssn',
] as const;
export const EntityType = z.enum(ENTITY_TYPES);
export type EntityType = z.output<typeof EntityType>;

/** The PII policies that "all" stands for, in the order in which answers list them. */
export const PII_POLICIES = [
  'person_name',
  'phone_number',
  'email_address',
  'url',
  'ip_address',
  'credit_card_number',
  'credit_card_expiration',
  'credit_card_cvv',
  'us_social_security_number',
  'bank_account',
  'iban',
  'passport_number',
  'drivers_license',
  'vehicle_id',
  'username',
  'password',
  'number_sequence',
  'date',
  'date_of_birth',
  'person_age',
  'location',
  'organization',
  'occupation',
  'nationality',
  'religion',
  'political_affiliation',
  'money_amount',
  'medical_condition',
  'drug',
  'injury',
] as const;

/** Redacted only when a request names them, never by "all". `redacted` finds nothing: it is what a person chose. */
const REDACTABLE_POLICIES = [...PII_POLICIES, 'event', 'product', 'redacted'] as const;
export const PiiPolicy = z.enum(REDACTABLE_POLICIES);
export type PiiPolicy = z.output<typeof PiiPolicy>;

/** Names that stand for several policies. */
export const PII_GROUPS = {
  personal: [
    'person_name',
    'us_social_security_number',
    'passport_number',
    'drivers_license',
    'vehicle_id',
    'username',
    'password',
    'number_sequence',
    'date_of_birth',
    'person_age',
    'occupation',
    'nationality',
    'religion',
    'political_affiliation',
  ],
  contact: ['phone_number', 'email_address', 'url', 'ip_address', 'location'],
  financial: [
    'credit_card_number',
    'credit_card_expiration',
    'credit_card_cvv',
    'bank_account',
    'iban',
    'money_amount',
  ],
  medical: ['medical_condition', 'drug', 'injury'],
} as const satisfies Record<string, readonly PiiPolicy[]>;
type PiiGroup = keyof typeof PII_GROUPS;
export const PII_GROUP_NAMES = [
  'personal',
  'contact',
  'financial',
  'medical',
] as const satisfies readonly PiiGroup[];

/** Entity types are accepted as policies. An account number may be an IBAN, so `bank_account` stands for both. */
const PII_SYNONYMS = {
  person: ['person_name'],
  location: ['location'],
  organization: ['organization'],
  event: ['event'],
  product: ['product'],
  date: ['date'],
  phone_number: ['phone_number'],
  email: ['email_address'],
  url: ['url'],
  ip_address: ['ip_address'],
  credit_card: ['credit_card_number'],
  bank_account: ['bank_account', 'iban'],
  ssn: ['us_social_security_number'],
} as const satisfies Record<EntityType, readonly PiiPolicy[]>;

/** Every value that `redact_pii_policies` accepts: policies, groups and entity types, without duplicates. */
export const PII_POLICY_NAMES = [
  ...new Set<PiiPolicy | PiiGroup | EntityType>([
    ...PII_POLICIES,
    ...PII_GROUP_NAMES,
    ...ENTITY_TYPES,
    'redacted',
  ]),
] as const;
export const PiiPolicyName = z.enum(PII_POLICY_NAMES);
export type PiiPolicyName = z.output<typeof PiiPolicyName>;

/** What the window hides if nothing else is chosen: names, contacts, ids, accounts, secrets, dates of birth; neither health nor dates. */
export const USUAL_PII = ['personal', 'contact', 'financial'] as const satisfies readonly PiiPolicyName[];

const isKeyOf = <T extends object>(record: T, key: PropertyKey): key is keyof T => Object.hasOwn(record, key);

const policiesOf = (name: PiiPolicyName): readonly PiiPolicy[] => {
  if (isKeyOf(PII_GROUPS, name)) return PII_GROUPS[name];
  if (isKeyOf(PII_SYNONYMS, name)) return PII_SYNONYMS[name];
  return [name];
};

/**
 * Resolves policies, groups and entity types to policies, in canonical order and without duplicates.
 * An absent or empty list means all of `PII_POLICIES`.
 */
export const resolvePolicies = (names?: readonly PiiPolicyName[]): PiiPolicy[] => {
  if (!names || names.length === 0) return [...PII_POLICIES];
  const wanted = new Set<PiiPolicy>(names.flatMap(policiesOf));
  return REDACTABLE_POLICIES.filter((policy) => wanted.has(policy));
};

export const PII_SUBSTITUTIONS = ['hash', 'entity_name', 'mask', 'remove'] as const;
export const PiiSubstitution = z
  .enum(PII_SUBSTITUTIONS)
  .describe(
    '`hash`: `[PERSON_NAME_1f3a9c2e]`, the same for each mention of a value. `entity_name`: `[PERSON_NAME]`. `mask`: asterisks. `remove`: nothing.',
  );
export type PiiSubstitution = z.output<typeof PiiSubstitution>;

/** What `hash` and `entity_name` put in the place of a value. */
export const REDACTION_TOKEN = String.raw`\[(?:[A-Z_]+_[0-9a-f]{8}|${PiiPolicy.options.join('|').toUpperCase()})\]`;
/** What stands in the place of a redacted word: a token, or a mask; not a masked profanity ("d***"). */
export const HIDDEN_WORD = new RegExp(
  String.raw`${REDACTION_TOKEN}|(?<![\p{L}\p{N}*])\*+(?:[^\p{L}\p{N}\s*]+\*+)*`,
  'u',
);

/** What to do with the stored file that a redacted transcript was made from. */
export const REDACT_SOURCES = ['keep', 'delete'] as const;
export const RedactSource = z.enum(REDACT_SOURCES);
export type RedactSource = z.output<typeof RedactSource>;

/** What was done with it. */
export const RedactedSource = z.enum(['deleted', 'kept', 'kept_in_use', 'not_stored']);
export type RedactedSource = z.output<typeof RedactedSource>;

export const SUMMARY_TYPES = ['bullets', 'paragraphs', 'markdown'] as const;
export const SummaryType = z.enum(SUMMARY_TYPES);
export type SummaryType = z.output<typeof SummaryType>;

export const SAFETY_LABELS = [
  'profanity',
  'hate_speech',
  'violence',
  'weapons',
  'drugs',
  'alcohol',
  'gambling',
  'sexual_content',
  'self_harm',
  'crime',
  'health_issues',
] as const;
export const SafetyLabel = z.enum(SAFETY_LABELS);
export type SafetyLabel = z.output<typeof SafetyLabel>;

const SafetySeverity = z.enum(['low', 'medium', 'high']);

/** Offsets are UTF-16 code units into the transcript's text, end exclusive: `text.slice(startIndex, endIndex)`. */
export const Entity = z.object({
  type: EntityType,
  text: z.string(),
  startIndex: z.int().nonnegative(),
  endIndex: z.int().nonnegative(),
});
export type Entity = z.output<typeof Entity>;

/** The evidence for a summary's statement: sentence ids (from 1) and seconds on the source's timeline. */
const SummarySource = z.object({
  sentence_ids: z.array(z.int().positive()),
  start: z.number(),
  end: z.number(),
});

const SummaryEngine = z.enum(['extractive', 'local_llm']);

export const Summary = z.object({
  text: z.string(),
  type: SummaryType,
  language: z.string(),
  engine: SummaryEngine,
  bullets: z.array(z.object({ text: z.string(), source: SummarySource })).optional(),
});
export type Summary = z.output<typeof Summary>;

const SafetySegment = z.object({
  id: z.int().nonnegative(),
  start: z.number(),
  end: z.number(),
});
export const ContentSafety = z.object({
  flagged: z.boolean(),
  labels: z.array(
    z.object({
      label: SafetyLabel,
      confidence: z.number().min(0).max(1),
      severity: SafetySeverity,
      segments: z.array(SafetySegment),
    }),
  ),
});
export type ContentSafety = z.output<typeof ContentSafety>;

export const SpeakingRate = z.enum(['slow', 'normal', 'fast']);
export type SpeakingRate = z.output<typeof SpeakingRate>;
