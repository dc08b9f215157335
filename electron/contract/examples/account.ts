import type { z } from 'zod';
import type { ApiKey, User } from '../account.ts';
import type { accountRoutes } from '../routes/account.ts';
import type { voiceRoutes } from '../routes/voices.ts';
import type { SettingsList } from '../settings.ts';
import type { Voice } from '../voices.ts';
import { CREATED, type ExamplesOf, PLACEHOLDERS } from './example.ts';

const voice: z.input<typeof Voice> = {
  id: PLACEHOLDERS.voice,
  name: 'María',
  model: 'embedding-campplus-zh-en-small',
  comparable: true,
  recordings: 3,
  created_at: CREATED,
  updated_at: CREATED,
};
const params = { id: PLACEHOLDERS.voice };

export const voiceExamples: ExamplesOf<typeof voiceRoutes> = {
  listVoices: { answers: { 200: { success: true, data: [voice] } } },
  renameVoice: {
    params,
    body: { name: 'María López' },
    answers: { 200: { success: true, data: { ...voice, name: 'María López' } } },
  },
  forgetVoice: { params, answers: { 200: { success: true, message: 'The voice is forgotten.' } } },
  forgetAllVoices: { answers: { 200: { success: true, message: 'All voices are forgotten.' } } },
};

const key: z.input<typeof ApiKey> = {
  id: PLACEHOLDERS.apiKey,
  name: 'Backup script',
  prefix: 'ek_7Qm2x',
  created_at: CREATED,
  last_used_at: null,
};
const withSecret = { ...key, key: 'ek_7Qm2xV9bK4tR8nL1cY6wZ3pH5sD0fGuJ3aXqTe' };

const user: z.input<typeof User> = {
  id: PLACEHOLDERS.user,
  name: 'María',
  owner: false,
  created_at: CREATED,
  storage_limit: null,
  credit_budget: 120,
};

const settings = (value: number): z.input<typeof SettingsList> => ({
  success: true,
  data: [
    {
      key: 'engine.beamSize',
      value,
      default: 5,
      source: value === 5 ? 'default' : 'stored',
      restart: false,
      help: 'Beams of the decoder; 1 is greedy and fastest.',
    },
  ],
  needs_restart: [],
});

const byKey = { id: PLACEHOLDERS.apiKey };
const byUser = { id: PLACEHOLDERS.user };

const session = {
  success: true as const,
  data: { key: withSecret.key, browser: 'p4Zt0…', user: { ...user, owner: true } },
};

export const accountExamples: ExamplesOf<typeof accountRoutes> = {
  listKeys: { answers: { 200: { success: true, data: [key] } } },
  createKey: { body: { name: 'Backup script' }, answers: { 201: { success: true, data: withSecret } } },
  rotateKey: { params: byKey, answers: { 200: { success: true, data: withSecret } } },
  revokeKey: { params: byKey, answers: { 200: { success: true, message: 'The key is revoked.' } } },
  listUsers: { answers: { 200: { success: true, data: [user] } } },
  createUser: {
    body: { name: 'María', credit_budget: 120 },
    answers: { 201: { success: true, data: { user, key: { ...withSecret, name: 'first' } } } },
  },
  patchUser: {
    params: byUser,
    body: { credit_budget: 240 },
    answers: { 200: { success: true, data: { ...user, credit_budget: 240 } } },
  },
  deleteUser: {
    params: byUser,
    answers: {
      200: { success: true, message: 'The user is deleted, with everything kept for the user.' },
    },
  },
  createSession: {
    body: { token: PLACEHOLDERS.loginToken },
    answers: { 200: session },
  },
  resumeSession: { body: { browser: session.data.browser }, answers: { 200: session } },
  createLoginLink: {
    answers: {
      201: { success: true, data: { url: `http://127.0.0.1:3277/#token=${PLACEHOLDERS.loginToken}` } },
    },
  },
  getUsage: {
    answers: {
      200: {
        success: true,
        data: {
          credits_used: 0.15,
          credit_budget: 120,
          by_model: [{ model: 'mini', credits: 0.15, seconds: 8.6, transcripts: 1 }],
          by_month: [{ month: '2026-11', credits: 0.15, seconds: 8.6, transcripts: 1 }],
        },
      },
    },
  },
  getSettings: { answers: { 200: settings(5) } },
  patchSettings: { body: { 'engine.beamSize': 1 }, answers: { 200: settings(1) } },
};
