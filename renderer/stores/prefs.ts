import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import {
  PII_POLICY_NAMES,
  PII_SUBSTITUTIONS,
  SUMMARY_TYPES,
  USUAL_PII,
} from '../../electron/contract/analysis.ts';
import { LOCALES } from '../i18n/index.ts';
import { readStored } from '../lib/storage.ts';

export const TEXT_SCALES = [0.9, 1, 1.15, 1.3] as const;

/** The choices that the New dialog remembers. An invalid field falls back by itself. */
export const TranscriptionOptions = z.object({
  model: z.string().min(1).catch('mini'),
  /** A second model that recognizes the recording again; empty for none. */
  verifyWith: z.string().catch(''),
  /** Each audio channel is recognized by itself, and is a speaker. */
  multichannel: z.boolean().catch(false),
  language: z.string().min(1).catch('auto'),
  speakers: z.int().min(1).max(32).nullable().catch(null),
  diarize: z.boolean().catch(true),
  entities: z.boolean().catch(true),
  topics: z.boolean().catch(true),
  summary: z.boolean().catch(true),
  summaryType: z.enum(SUMMARY_TYPES).catch('bullets'),
  safety: z.boolean().catch(false),
  redact: z.boolean().catch(false),
  policies: z.array(z.enum(PII_POLICY_NAMES)).catch([...USUAL_PII]),
  substitution: z.enum(PII_SUBSTITUTIONS).catch('hash'),
  redactAudio: z.boolean().catch(true),
});
export type TranscriptionOptions = z.output<typeof TranscriptionOptions>;

const Prefs = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  textScale: z.number().min(0.8).max(1.6).catch(1),
  locale: z.enum(['auto', ...LOCALES]).catch('auto'),
  rate: z.number().min(0.5).max(3).catch(1),
  volume: z.number().gt(0).max(1).catch(1),
  isMuted: z.boolean().catch(false),
  /** The id of the microphone; empty for the system's. */
  microphone: z.string().catch(''),
  /** Whether a recording is recognized while it is made. */
  showsLiveText: z.boolean().catch(true),
  skipSilence: z.boolean().catch(false),
  options: TranscriptionOptions.catch(() => TranscriptionOptions.parse({})),
});
export type Prefs = z.output<typeof Prefs>;

const STORAGE_KEY = 'earshot.prefs';

/** Preferences of this browser, kept in its local storage, the same in all its windows, and never sent. */
export const createPrefs = (storage: Storage) => {
  const read = () => Prefs.parse(readStored(storage, STORAGE_KEY) ?? {});
  const store = createStore<Prefs>(read);
  // The browser tells only the other windows. What they changed is not written again, or windows of two versions, each of which
  // leaves out what it does not know, would answer each other without end.
  addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY) store.setState(read());
  });
  return {
    store,
    set: (change: Partial<Prefs>) => {
      store.setState(change);
      storage.setItem(STORAGE_KEY, JSON.stringify(store.getState()));
    },
  };
};
export type PrefsStore = ReturnType<typeof createPrefs>;
