import type { SettingKey } from '../../../electron/contract/settings.ts';
import type { MessageKey } from '../../i18n/index.ts';

type SettingPart = {
  readonly name: MessageKey;
  readonly text?: MessageKey;
  readonly keys: readonly SettingKey[];
};
type SettingGroup = {
  readonly id: string;
  readonly name: MessageKey;
  readonly parts: readonly SettingPart[];
};

/** What matters to those alone who run Earshot for others or for programs: last, out of everyone else's way. */
export const SERVER = 'server';

/** The settings of the service by section. A test compares the keys with the contract. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    id: 'connections',
    name: 'settings.connections',
    parts: [
      { name: 'settings.leaving', text: 'settings.leaving.text', keys: ['network.offline'] },
      { name: 'settings.updates', text: 'settings.updates.text', keys: ['updates.feed'] },
    ],
  },
  {
    id: 'network',
    name: 'settings.network',
    parts: [
      {
        name: 'settings.outbound',
        text: 'settings.outbound.text',
        keys: [
          'network.allowPrivateAddresses',
          'network.pages',
          'network.maxDownloadBytes',
          'network.stallSeconds',
        ],
      },
    ],
  },
  {
    id: 'models',
    name: 'settings.models',
    parts: [
      {
        name: 'settings.aliases',
        text: 'settings.aliases.text',
        keys: ['models.aliases.nano', 'models.aliases.mini', 'models.aliases.pro'],
      },
      { name: 'settings.modelSource', keys: ['models.autoInstall', 'models.baseUrl', 'models.catalogue'] },
      {
        name: 'settings.speakers',
        text: 'settings.speakers.text',
        keys: ['speakers.segmentation', 'speakers.embedding'],
      },
    ],
  },
  {
    id: 'language-model',
    name: 'settings.llm',
    parts: [
      {
        name: 'settings.llm',
        text: 'settings.llm.text',
        keys: ['llm.url', 'llm.model'],
      },
    ],
  },
  {
    id: 'performance',
    name: 'settings.performance',
    parts: [
      {
        name: 'settings.engine',
        text: 'settings.engine.text',
        keys: ['engine.threads', 'engine.parallel', 'engine.beamSize', 'engine.device', 'queue.concurrency'],
      },
    ],
  },
  {
    id: 'storage',
    name: 'settings.storage',
    parts: [
      { name: 'settings.space', keys: ['storage.requireClamav', 'storage.mirrors'] },
      { name: 'settings.backups', text: 'settings.backups.text', keys: ['storage.backups'] },
    ],
  },
  {
    id: SERVER,
    name: 'settings.server',
    parts: [
      {
        name: 'settings.inbound',
        text: 'settings.inbound.text',
        keys: ['network.keylessPrograms', 'network.allowedOrigins', 'network.allowedHosts'],
      },
      {
        name: 'settings.rates',
        text: 'settings.rates.text',
        keys: [
          'limits.uploadsPer15Minutes',
          'limits.deletionsPer15Minutes',
          'limits.requestsPerMinute',
          'limits.liveSessions',
          'storage.limitBytes',
        ],
      },
      {
        name: 'settings.credits',
        text: 'settings.credits.text',
        keys: ['credits.perMinute.nano', 'credits.perMinute.mini', 'credits.perMinute.pro'],
      },
    ],
  },
];

/** Settings in bytes that the window shows in gigabytes. */
export const IN_GIGABYTES: ReadonlySet<SettingKey> = new Set([
  'network.maxDownloadBytes',
  'storage.limitBytes',
]);
