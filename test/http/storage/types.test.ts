import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Document, Packer, Paragraph } from 'docx';
import { beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../electron/contract/client.ts';
import { FILE_TYPES } from '../../../electron/core/engines/scan/file-types.ts';
import { dealt } from '../../support/dealt.ts';
import { ffmpeg } from '../../support/ffmpeg.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { zip } from '../../support/zip.ts';
import { freshStorage, newUser, upload } from './support/client.ts';

/** Each type is tried against every tenth of the others. */
const DEALS = 10;

const storage = await freshStorage();
const user = newUser(storage);
const folder = temporaryFolder();
const samples = new Map<string, Uint8Array<ArrayBuffer>>();

const run = (program: string, args: readonly string[]) =>
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
/** Makes a sample of each extension with one ffmpeg; `options` are those of all. */
const make = async (
  extensions: readonly string[],
  input: readonly string[],
  options: readonly string[] = [],
): Promise<void> => {
  const paths = extensions.map((extension) => join(folder, `sample.${extension}`));
  await ffmpeg(...input, ...paths.flatMap((path) => [...options, path]));
  for (const [at, path] of paths.entries())
    samples.set(extensions[at] ?? '', new Uint8Array(readFileSync(path)));
};
const TONE = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=0.3'];
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=10:duration=0.3'];
const text = (content: string) => new Uint8Array(Buffer.from(content));

const PDF = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';
const CFB = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2040)]);
const XLSX_TYPES =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>';

beforeAll(async () => {
  await make(['mp3', 'wav', 'flac', 'm4a', 'ogg', 'aiff', 'caf', 'aac', 'mkv', 'wmv', 'avi', 'mov'], TONE);
  await make(['opus', 'oga', 'wma', 'mka'], TONE, ['-ar', '48000']);
  await make(['spx'], TONE, ['-c:a', 'libspeex', '-ar', '16000']);
  await make(['m4b'], TONE, ['-f', 'ipod']);
  samples.set('amr', new Uint8Array(Buffer.concat([Buffer.from('#!AMR\n<'), Buffer.alloc(31)])));
  const frame = Buffer.alloc(33);
  frame[0] = 0xd0;
  samples.set('gsm', new Uint8Array(Buffer.concat([frame, frame, frame])));
  await make(['webm'], TONE, ['-c:a', 'libopus']);
  await make(['mp4'], [...PICTURE, ...TONE], ['-shortest']);
  await make(['jpg', 'png', 'webp', 'bmp', 'tiff'], PICTURE, ['-frames:v', '1']);
  await make(['gif'], PICTURE);
  run('tar', ['cf', join(folder, 'sample.tar'), '-C', folder, 'sample.wav']);
  samples.set('tar', new Uint8Array(readFileSync(join(folder, 'sample.tar'))));
  samples.set('gz', new Uint8Array(gzipSync('packed')));
  samples.set('pdf', text(PDF));
  samples.set('doc', new Uint8Array(CFB));
  const document = new Document({ sections: [{ children: [new Paragraph('Hello')] }] });
  samples.set('docx', new Uint8Array(await Packer.toBuffer(document)));
  samples.set('odt', zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<x/>' }));
  samples.set('xlsx', zip({ '[Content_Types].xml': XLSX_TYPES, 'xl/workbook.xml': '<workbook/>' }));
  samples.set('zip', zip({ 'a.txt': 'hello' }));
  samples.set('txt', text('Grüße aus Łódź.\n'));
  samples.set('csv', text('name;größe\na;1\n'));
  samples.set('rtf', text('{\\rtf1\\ansi hello}'));
  samples.set('json', text('\ufeff{"a": [1, 2, {"b": null}]}'));
  samples.set('xml', text('<?xml version="1.0"?>\n<root/>'));
  samples.set('svg', text('<!-- made by hand -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'));
});

const sample = (extension: string) => {
  const bytes = samples.get(extension);
  if (bytes === undefined) throw new Error(`There is no sample of ${extension}.`);
  return bytes;
};
const codeOf = async (name: string, bytes: Uint8Array<ArrayBuffer> | string, type = ''): Promise<string> => {
  try {
    const { file } = await upload(user, name, bytes, {}, type);
    return file.mime_type;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};

describe('file types', () => {
  it('are all accepted', async () => {
    const interfaceList =
      'mp3 wav flac m4a ogg amr gsm aiff caf webm aac mp4 avi mov wmv mkv pdf doc docx txt rtf odt jpg png gif webp svg bmp tiff json xml csv xlsx zip tar gz';
    expect(FILE_TYPES.map((type) => type.extensions[0]).sort()).toEqual(interfaceList.split(' ').sort());
    for (const { extensions, mimeTypes } of FILE_TYPES) {
      const [extension = ''] = extensions;
      expect([extension, await codeOf(`Sample.${extension.toUpperCase()}`, sample(extension))]).toEqual([
        extension,
        mimeTypes[0],
      ]);
      for (const mime of mimeTypes) {
        expect([extension, mime, await codeOf(`s.${extension}`, sample(extension), mime)]).toEqual([
          extension,
          mime,
          mime,
        ]);
      }
    }
  });

  it.each(['opus', 'spx', 'oga', 'wma', 'mka', 'm4b'])(
    'include the other names of recordings: .%s',
    async (name) => {
      expect(await codeOf(`a.${name}`, sample(name))).toMatch(/^(audio|video)\//);
      expect(await codeOf(`a.${name}`, sample('png'))).toBe('content_mismatch');
    },
  );

  it('follow the declared media type when the name has no extension', async () => {
    expect(await codeOf('recording', sample('mp3'), 'audio/mpeg')).toBe('audio/mpeg');
    expect(await codeOf('v1.2 final', sample('wav'), 'audio/wav')).toBe('audio/wav');
    expect(await codeOf('recording', sample('mp3'))).toBe('unsupported_file_type');
  });

  it('must match the content', async () => {
    const binary = FILE_TYPES.flatMap(({ extensions: [extension = ''] }) => extension);
    const related = new Map([
      ['m4a', ['mp4', 'mov']],
      ['mp4', ['m4a', 'mov']],
      ['mov', ['m4a', 'mp4']],
      ['webm', ['mkv']],
      ['mkv', ['webm']],
      ['zip', ['docx', 'xlsx', 'odt']],
      ['xml', ['svg']],
      ['txt', ['csv', 'json', 'rtf', 'xml', 'svg']],
      ['csv', ['txt', 'json', 'rtf', 'xml', 'svg']],
      ['docx', ['zip']],
      ['xlsx', ['zip']],
      ['odt', ['zip']],
    ]);
    const wrong: string[] = [];
    for (const [at, named] of binary.entries()) {
      for (const real of dealt([...binary.slice(at), ...binary.slice(0, at)], at % DEALS, DEALS)) {
        if (named === real || related.get(named)?.includes(real)) continue;
        const code = await codeOf(`a.${named}`, sample(real));
        if (code !== 'content_mismatch') wrong.push(`${real} called .${named}: ${code}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('exclude programs, HTML and lookalikes', async () => {
    const exe = Buffer.concat([Buffer.from('MZ\u0090\u0000'), Buffer.alloc(600, 7)]);
    const elf = readFileSync('/proc/self/exe').subarray(0, 4096);
    for (const program of [exe, elf]) {
      for (const {
        extensions: [extension = ''],
      } of FILE_TYPES) {
        expect([extension, await codeOf(`a.${extension}`, new Uint8Array(program))]).toEqual([
          extension,
          'content_mismatch',
        ]);
      }
    }
    expect(await codeOf('a.html', '<p>')).toBe('unsupported_file_type');
    expect(await codeOf('a.txt', '<p>', 'text/html')).toBe('unsupported_file_type');
    expect(await codeOf('a.svg', '<html><body>no</body></html>')).toBe('content_mismatch');
    expect(await codeOf('a.json', '{"a":}')).toBe('content_mismatch');
    expect(await codeOf('a.json', '')).toBe('content_mismatch');
    expect(await codeOf('a.mp3', '')).toBe('content_mismatch');
    expect(await codeOf('a.txt', `text\n${'x'.repeat(200_000)}\u0000`)).toBe('content_mismatch');
  });

  it('accept text in other encodings, and text that begins like another format', async () => {
    expect(await codeOf('a.txt', new Uint8Array(Buffer.from('\ufeffhi', 'utf16le')))).toBe('text/plain');
    expect(await codeOf('a.txt', new Uint8Array(Buffer.from('Gr\xfc\xdfe', 'latin1')))).toBe('text/plain');
    for (const start of ['BM is a brand', 'MZ is a writer', 'ID3 tags are', 'GIFs', 'RIFFs', 'PK']) {
      expect([start, await codeOf('a.txt', `${start} and so on, for a while.`)]).toEqual([
        start,
        'text/plain',
      ]);
    }
  });
});
