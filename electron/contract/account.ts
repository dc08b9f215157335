import { z } from 'zod';
import { idSchema, namesAChange, success, Timestamp } from './common.ts';
import { nameUpTo } from './names.ts';

export const KeyId = idSchema('key', 'Key identifier.');
export const UserId = idSchema('usr', 'User identifier.');

export const ApiKey = z
  .object({
    id: KeyId,
    name: z.string(),
    prefix: z.string().describe('The first 8 characters.'),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof ApiKey>;

export const KeyWithSecret = ApiKey.extend({ key: z.string().describe('Shown once.') }).meta({
  id: 'KeyWithSecret',
});
export type KeyWithSecret = z.output<typeof KeyWithSecret>;
export const KeyList = success(z.array(ApiKey));
export const KeyCreated = success(KeyWithSecret);
export const CreateKey = z.strictObject({ name: nameUpTo(200) });
export const KeyRevoked = z.object({ success: z.literal(true), message: z.string() });

export const User = z
  .object({
    id: UserId,
    name: z.string(),
    owner: z.boolean(),
    created_at: Timestamp,
    storage_limit: z.int().nullable().describe('Bytes; null: the setting `storage.limitBytes`.'),
    credit_budget: z.number().nullable().describe('Credits; null: no budget.'),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof User>;
export const UserListResult = success(z.array(User));
export const CreateUser = z.strictObject({
  name: nameUpTo(200),
  storage_limit: z.int().min(0).nullable().optional(),
  credit_budget: z.number().min(0).nullable().optional(),
});
export const PatchUser = CreateUser.partial().refine(...namesAChange);
export const UserCreated = success(z.object({ user: User, key: KeyWithSecret }));
export const OneUser = success(User);
export const UserDeleted = z.object({ success: z.literal(true), message: z.string() });

export const SessionRequest = z.strictObject({ token: z.string().min(1).max(200) });
export const SessionResult = success(
  z.object({
    key: z.string().describe('Of one tab. It ends when it is not used for 30 days.'),
    browser: z
      .string()
      .describe(
        'Opens further tabs of the same browser with `POST /v1/session/resume`, together with the cookie of this answer. The cookie is set on this machine alone.',
      ),
    user: User,
  }),
);
export const ResumeSession = z.strictObject({ browser: z.string().min(1).max(200) });

export const LoginLink = success(
  z.object({ url: z.string().describe('Opens the window signed in as the owner; works once.') }),
);

export const Usage = success(
  z.object({
    credits_used: z.number(),
    credit_budget: z.number().nullable(),
    by_model: z.array(
      z.object({ model: z.string(), credits: z.number(), seconds: z.number(), transcripts: z.int() }),
    ),
    by_month: z.array(
      z.object({ month: z.string(), credits: z.number(), seconds: z.number(), transcripts: z.int() }),
    ),
  }),
);
