import { z } from 'zod';

/** The 13 entity types of the interface (section 4.1). */
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
export const entityTypeSchema = z.enum(ENTITY_TYPES);
export type EntityType = z.infer<typeof entityTypeSchema>;

/** The PII policies of the contract (4.2), in its order. None given means all of these. */
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

/**
 * Everything that redaction can act on: the policies, and the two entity types that no policy names.
 * `event` and `product` are redacted only when asked for by name, never by "all".
 */
export const REDACTABLE_POLICIES = [...PII_POLICIES, 'event', 'product'] as const;
export const piiPolicySchema = z.enum(REDACTABLE_POLICIES);
export type PiiPolicy = z.infer<typeof piiPolicySchema>;

/** Group names that may stand for several policies. */
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
export type PiiGroup = keyof typeof PII_GROUPS;
export const PII_GROUP_NAMES = [
  'personal',
  'contact',
  'financial',
  'medical',
] as const satisfies readonly PiiGroup[];

/** Entity types as synonyms of policies. An account number may be an IBAN, so `bank_account` takes both. */
export const PII_SYNONYMS = {
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

/** Every value that `redact_pii_policies` accepts: policies, groups, entity types; without doubles. */
export const PII_POLICY_NAMES = [
  ...new Set<PiiPolicy | PiiGroup | EntityType>([...PII_POLICIES, ...PII_GROUP_NAMES, ...ENTITY_TYPES]),
] as const;
export const piiPolicyNameSchema = z.enum(PII_POLICY_NAMES);
export type PiiPolicyName = z.infer<typeof piiPolicyNameSchema>;

/**
 * The canonical policies that a list of names stands for, in the contract's order and without doubles.
 * An absent or empty list means all policies.
 */
export function resolvePolicies(names?: readonly PiiPolicyName[]): PiiPolicy[] {
  if (!names || names.length === 0) return [...PII_POLICIES];
  const wanted = new Set<PiiPolicy>(names.flatMap(policiesOf));
  return REDACTABLE_POLICIES.filter((policy) => wanted.has(policy));
}

function policiesOf(name: PiiPolicyName): readonly PiiPolicy[] {
  if (isKeyOf(PII_GROUPS, name)) return PII_GROUPS[name];
  if (isKeyOf(PII_SYNONYMS, name)) return PII_SYNONYMS[name];
  return [name];
}

function isKeyOf<T extends object>(record: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(record, key);
}

export const PII_SUBSTITUTIONS = ['hash', 'mask', 'remove'] as const;
export const piiSubstitutionSchema = z.enum(PII_SUBSTITUTIONS);
export type PiiSubstitution = z.infer<typeof piiSubstitutionSchema>;

export const SUMMARY_TYPES = ['bullets', 'paragraphs', 'markdown'] as const;
export const summaryTypeSchema = z.enum(SUMMARY_TYPES);
export type SummaryType = z.infer<typeof summaryTypeSchema>;

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
export const safetyLabelSchema = z.enum(SAFETY_LABELS);
export type SafetyLabel = z.infer<typeof safetyLabelSchema>;

export const SAFETY_SEVERITIES = ['low', 'medium', 'high'] as const;
export const safetySeveritySchema = z.enum(SAFETY_SEVERITIES);
export type SafetySeverity = z.infer<typeof safetySeveritySchema>;

/** Offsets are UTF-16 code units into the transcript's text, end exclusive: `text.slice(startIndex, endIndex)`. */
export const entitySchema = z.object({
  type: entityTypeSchema,
  text: z.string(),
  startIndex: z.int().nonnegative(),
  endIndex: z.int().nonnegative(),
});
export type Entity = z.infer<typeof entitySchema>;

/** Where a summary's statement comes from: sentence ids (from 1) and seconds on the source's timeline. */
export const summarySourceSchema = z.object({
  sentence_ids: z.array(z.int().positive()),
  start: z.number(),
  end: z.number(),
});
export type SummarySource = z.infer<typeof summarySourceSchema>;

export const SUMMARY_ENGINES = ['extractive', 'local_llm'] as const;
export const summaryEngineSchema = z.enum(SUMMARY_ENGINES);
export type SummaryEngine = z.infer<typeof summaryEngineSchema>;

export const summarySchema = z.object({
  text: z.string(),
  type: summaryTypeSchema,
  language: z.string(),
  engine: summaryEngineSchema,
  bullets: z.array(z.object({ text: z.string(), source: summarySourceSchema })).optional(),
});
export type Summary = z.infer<typeof summarySchema>;

export const safetySegmentSchema = z.object({
  id: z.int().nonnegative(),
  start: z.number(),
  end: z.number(),
});
export const contentSafetySchema = z.object({
  flagged: z.boolean(),
  labels: z.array(
    z.object({
      label: safetyLabelSchema,
      confidence: z.number().min(0).max(1),
      severity: safetySeveritySchema,
      segments: z.array(safetySegmentSchema),
    }),
  ),
});
export type ContentSafety = z.infer<typeof contentSafetySchema>;

export const SPEAKING_RATES = ['slow', 'normal', 'fast'] as const;
export const speakingRateSchema = z.enum(SPEAKING_RATES);
export type SpeakingRate = z.infer<typeof speakingRateSchema>;
