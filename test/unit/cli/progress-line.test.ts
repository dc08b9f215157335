import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { progressLine } from '../../../electron/cli/transcribe.ts';

const progress = {
  stage: 'transcribing',
  percent: 42.7,
  speed: 3.14,
  eta_seconds: 150,
  queue_position: null,
} as const;

it('a wide terminal shows how far the bar is, also without colors', () => {
  const line = stripVTControlCharacters(progressLine('talk.mp3', progress, 100));
  expect(line).toBe('━━━━━━━━━━──────────────   42 %  Transcribing talk.mp3  3 min left · 3.1× real time');
});

it('40 columns show how far it is and how long it takes, whatever the name', () => {
  const line = progressLine(`${'long '.repeat(20)}.mp3`, progress, 40);
  expect(line.slice(0, 39)).toContain('42 %  Transcribing  3 min left');
});
