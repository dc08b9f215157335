import { describe, expect, it } from 'vitest';
import { judge } from '../../../../electron/core/engines/whisper/devices/trial.ts';
import {
  chooseDevice,
  deviceState,
  type Found,
  type Knowledge,
} from '../../../../electron/core/engines/whisper/devices/types.ts';

const device: Found = { device: { name: 'GPU', driver: '1', kind: 'discrete' } };
const failure: Found = { failure: 'libvulkan.so.1 is missing' };
const knowledge = (setting: Knowledge['setting'], found: Found, hasLibrary = true): Knowledge => ({
  setting,
  hasLibrary,
  found,
});
const [faster, slower] = [{ outcome: 'faster' }, { outcome: 'slower' }] as const;

describe('the device of a model', () => {
  it.each([
    ['the setting is off', knowledge('cpu', device), faster, false, 'cpu'],
    ['the build has no Vulkan', knowledge('auto', undefined, false), undefined, false, 'built_in'],
    [
      'Vulkan is wanted, and the build has none',
      knowledge('vulkan', undefined, false),
      undefined,
      false,
      'built_in',
    ],
    ['no device is known yet', knowledge('auto', undefined), faster, false, 'cpu'],
    ['there is no device', knowledge('auto', failure), faster, false, 'cpu'],
    ['Vulkan is wanted, and there is no device', knowledge('vulkan', failure), undefined, false, 'cpu'],
    ['the model was not tried', knowledge('auto', device), undefined, false, 'cpu'],
    ['it is slower', knowledge('auto', device), slower, false, 'cpu'],
    ['it hears something else', knowledge('auto', device), { outcome: 'different' }, false, 'cpu'],
    ['it is faster', knowledge('auto', device), faster, false, 'vulkan'],
    ['it is faster, and failed in a job', knowledge('auto', device), faster, true, 'cpu'],
    ['Vulkan is wanted', knowledge('vulkan', device), slower, false, 'vulkan'],
    ['Vulkan is wanted, and failed in a job', knowledge('vulkan', device), undefined, true, 'cpu'],
  ] as const)('where %s', (_title, known, trial, hasFailed, expected) => {
    expect(chooseDevice(known, trial, hasFailed)).toBe(expected);
  });
});

describe('the state of graphics processors', () => {
  it.each([
    ['off', knowledge('cpu', device), null, [faster]],
    ['not_built', knowledge('auto', undefined, false), null, []],
    ['built_in', knowledge('auto', undefined, false), 'Apple M4', []],
    ['pending', knowledge('auto', undefined), null, []],
    ['unavailable', knowledge('vulkan', failure), null, []],
    ['forced', knowledge('vulkan', device), null, [slower]],
    ['in_use', knowledge('auto', device), null, [slower, undefined, faster]],
    ['pending', knowledge('auto', device), null, [slower, undefined]],
    ['not_used', knowledge('auto', device), null, [slower]],
  ] as const)('%s', (expected, known, builtIn, trials) => {
    expect(deviceState(known, builtIn, trials)).toBe(expected);
  });
});

describe('the judgement of a trial', () => {
  const cpu = {
    seconds: 10,
    cpuSeconds: 10,
    texts: ['Good morning, Northwind.', 'Good morning, Northwind.'],
  };

  it.each([
    ['faster', 2, ['good morning Northwind', 'Good morning, Northwind.']],
    ['slower', 12, ['Good morning, Northwind.']],
    // A measurement varies by more than that.
    ['slower', 9.5, ['Good morning, Northwind.']],
    ['different', 2, ['Good morning, Northwind.', 'Good mourning, Northwind.']],
    ['different', 2, ['']],
  ] as const)('%s: %d s, %j', (outcome, seconds, texts) => {
    expect(judge(cpu, { seconds, cpuSeconds: seconds, texts: [...texts] })).toMatchObject({
      outcome,
      cpuSeconds: 10,
      deviceSeconds: seconds,
    });
  });
});
