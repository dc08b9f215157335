import type { Acceleration } from '../contract/system.ts';

type Trial = Acceleration['trials'][number];

const seconds = (value: number | null): string => `${(value ?? 0).toFixed(1)} s`;

const trialFact = ({ model, outcome, cpu_seconds, device_seconds, detail }: Trial): string => {
  const because = detail === null ? '' : `: ${detail}`;
  const facts: Record<Trial['outcome'], string> = {
    pending: 'not tried yet',
    faster: `used, ${seconds(device_seconds)} instead of ${seconds(cpu_seconds)}`,
    slower: `not faster, ${seconds(device_seconds)} instead of ${seconds(cpu_seconds)}`,
    different: `hears other words${because}`,
    crashed: `its process ended${because}`,
    timeout: detail ?? 'no answer in time',
    failed: `does not run on it${because}`,
  };
  return `${model}: ${facts[outcome]}`;
};

/** What `earshot doctor` says about graphics processors. */
export const accelerationFact = ({ state, device, detail, trials }: Acceleration): string => {
  const facts: Record<Acceleration['state'], string> = {
    off: 'switched off: earshot settings set engine.device auto',
    built_in: `${device} runs every model`,
    not_built: 'none: this build recognizes on the processor',
    unavailable: `none can be used: ${detail}`,
    pending: 'will be tried when no transcription is running',
    forced: `${device} (${detail}) runs every model that works on it`,
    in_use: `${device} (${detail}) runs the models that are faster on it`,
    not_used: `${device} (${detail}) is not used`,
  };
  const tried = ['forced', 'in_use', 'not_used', 'pending'].includes(state) ? trials.map(trialFact) : [];
  return [facts[state], ...tried].join('; ');
};
