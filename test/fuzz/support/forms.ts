import { tinyWav } from '../../support/audio.ts';
import type { Random } from './choices.ts';
import type { Schema } from './document.ts';

type Part = { readonly head: string; readonly bytes: Buffer };

const FILES: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[] = [
  { name: 'note.txt', type: 'text/plain', bytes: Buffer.from('A note, 漢字.') },
  { name: '会議.csv', type: 'text/csv', bytes: Buffer.from('a,b\n1,2\n') },
  { name: 'a.json', type: 'application/json', bytes: Buffer.from('{"a":[1]}') },
];

const ODD_FILES: typeof FILES = [
  { name: '', type: 'application/octet-stream', bytes: Buffer.from('x') },
  { name: '../../evil.txt', type: 'text/plain', bytes: Buffer.from('x') },
  { name: 'C:\\evil.txt', type: 'text/plain', bytes: Buffer.from('x') },
  { name: 'a'.repeat(5000), type: 'text/plain', bytes: Buffer.from('x') },
  { name: 'no-extension', type: '', bytes: Buffer.from('x') },
  { name: 'run.exe', type: 'application/x-msdownload', bytes: Buffer.from('MZ') },
  { name: 'liar.mp3', type: 'audio/mpeg', bytes: Buffer.from('no music') },
  { name: 'empty.txt', type: 'text/plain', bytes: Buffer.alloc(0) },
  {
    name: 'eicar.txt',
    type: 'text/plain',
    bytes: Buffer.from('X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'),
  },
  { name: 'a"b%22.txt', type: 'text/plain', bytes: Buffer.from([0, 1, 2, 3, 255]) },
];

const wav = { name: 'tiny.wav', type: 'audio/wav', bytes: tinyWav() };
const speech = { name: 'liar.wav', type: 'audio/wav', bytes: Buffer.from('RIFF but no more') };

/** The name of a form's file, which the document requires before all others. */
export const fileFieldOf = ({ required = [] }: Schema): string => required[0] ?? 'file';

export type FormOptions = {
  readonly fileField: string;
  /** The form should contain a recording that may be transcribed. */
  readonly recording: 'yes' | 'no' | 'not wanted';
  readonly broken: boolean;
};

const filePart = (field: string, { name, type, bytes }: (typeof FILES)[number]): Part => ({
  head: `Content-Disposition: form-data; name="${field}"; filename="${name.replaceAll('"', '%22')}"${type === '' ? '' : `\r\nContent-Type: ${type}`}`,
  bytes,
});

const fieldPart = ([name, value]: readonly [string, string]): Part => ({
  head: `Content-Disposition: form-data; name="${name.replaceAll(/["\r\n]/g, '_')}"`,
  bytes: Buffer.from(value),
});

const joined = (parts: readonly Part[], boundary: string): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ head, bytes }) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

const fileFor = ({ recording, broken }: FormOptions, random: Random) => {
  if (broken && random.chance(0.5)) return random.pick(ODD_FILES);
  if (recording === 'yes') return wav;
  return recording === 'no' ? speech : random.pick(FILES);
};

/** A multipart body with its type. */
export const wholeForm = (
  fields: readonly (readonly [string, string])[],
  fileField: string,
  file: (typeof FILES)[number],
): { readonly body: Buffer; readonly type: string } => {
  const boundary = '----example';
  return {
    body: joined([...fields.map(fieldPart), filePart(fileField, file)], boundary),
    type: `multipart/form-data; boundary=${boundary}`,
  };
};

/** A multipart body with its type. A broken one lacks a part, repeats one, or is truncated. */
export const formBody = (
  fields: readonly (readonly [string, string])[],
  options: FormOptions,
  random: Random,
): { readonly body: Buffer; readonly type: string } => {
  const boundary = `----fuzz${random.int(1e6, 9e6)}`;
  const type = `multipart/form-data; boundary=${boundary}`;
  const file = filePart(options.fileField, fileFor(options, random));
  const parts = [...fields.map(fieldPart)];
  parts.splice(random.int(0, parts.length), 0, file);
  if (!options.broken) return { body: joined(parts, boundary), type };
  const whole = joined(parts, boundary);
  return random.pick([
    () => ({ body: whole, type }),
    () => ({ body: joined([...parts, file], boundary), type }),
    () => ({ body: joined(fields.map(fieldPart), boundary), type }),
    () => ({ body: whole.subarray(0, random.int(0, whole.length - 1)), type }),
    () => ({ body: whole, type: 'multipart/form-data' }),
    () => ({ body: whole, type: 'application/json' }),
    () => ({ body: Buffer.alloc(0), type }),
    () => ({ body: Buffer.from('no form at all'), type }),
  ])();
};
