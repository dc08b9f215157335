import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Model } from '../../../contract/system.ts';
import { SPEAKER_CATALOGUE } from './speaker-models.ts';

/** What a model transcribes: any of Whisper's languages, or these. */
export type ModelLanguages = 'multilingual' | readonly string[];

/** A model that can be installed. */
export type CatalogueModel = {
  readonly id: string;
  readonly name: string;
  /** Bytes, perhaps rounded. */
  readonly size: number;
  /** Bounds of the complete file's size in bytes. */
  readonly sizeBounds: { readonly min: number; readonly max: number };
  /** Null if none is published. */
  readonly checksum: { readonly algorithm: 'sha1' | 'sha256'; readonly hex: string } | null;
  readonly languages: ModelLanguages;
  readonly kind: Model['kind'];
  readonly description: string;
  /** Where it is published, if not beside whisper.cpp's models. */
  readonly url?: string;
};

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Whether the id is that of an English-only model: `tiny.en`, `base.en-q5_1`. */
export const isEnglishId = (id: string): boolean => /\.en($|[-.])/.test(id);

const languagesOf = (id: string): ModelLanguages => (isEnglishId(id) ? ['en'] : 'multilingual');

const model = (id: string, size: number, sha1: string, description: string): CatalogueModel => ({
  id,
  name: `Whisper ${id}`,
  size: Math.round(size),
  // The published sizes are rounded ("1.1 GiB" stands for 1.006): a file far off is another one, or an error page.
  sizeBounds: { min: Math.floor(size * 0.85), max: Math.ceil(size * 1.15) },
  // From whisper.cpp's models/README.md, which has SHA-1 alone.
  checksum: { algorithm: 'sha1', hex: sha1 },
  languages: languagesOf(id),
  kind: 'whisper',
  description,
});

/** ggml-org's conversions of NVIDIA's models (CC-BY-4.0), by their commit, so that what comes cannot change. */
const PARAKEET =
  'https://huggingface.co/ggml-org/parakeet-GGUF/resolve/35156454d1a39de06863303dd209fd2bed6ee079';
/** NVIDIA's card of parakeet-tdt-0.6b-v3. */
const PARAKEET_LANGUAGES = 'bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro sk sl es sv ru uk'.split(
  ' ',
);

const parakeet = (
  quantization: 'f16' | 'q8_0',
  size: number,
  sha256: string,
  description: string,
): CatalogueModel => ({
  id: quantization === 'f16' ? 'parakeet-tdt-0.6b-v3' : `parakeet-tdt-0.6b-v3-${quantization}`,
  name: quantization === 'f16' ? 'Parakeet TDT 0.6B v3' : `Parakeet TDT 0.6B v3 ${quantization}`,
  size,
  sizeBounds: { min: size, max: size },
  checksum: { algorithm: 'sha256', hex: sha256 },
  languages: PARAKEET_LANGUAGES,
  kind: 'parakeet',
  description: `${description} By NVIDIA, licensed under CC BY 4.0.`,
  url: `${PARAKEET}/ggml-parakeet-tdt-0.6b-v3-${quantization}.bin`,
});

/** The models that whisper.cpp and ggml-org publish with their checksums. */
const PUBLISHED: readonly CatalogueModel[] = [
  model(
    'tiny',
    75 * MIB,
    'bd577a113a864445d4c299885e0cb97d4ba92b5f',
    'Fastest; for clear speech and quick notes.',
  ),
  model('tiny.en', 75 * MIB, 'c78c86eb1a8faa21b369bcd33207cc90d64ae9df', 'Fastest; English only.'),
  model(
    'base',
    142 * MIB,
    '465707469ff3a37a2b9b8d8f89f2f99de7299dac',
    'A good balance for everyday recordings.',
  ),
  model('base.en', 142 * MIB, '137c40403d78fd54d454da0f9bd998f78703390c', 'A good balance; English only.'),
  model(
    'small',
    466 * MIB,
    '55356645c2b361a969dfd0ef2c5a50d530afd8d5',
    'Clearly better with accents and noise.',
  ),
  model(
    'small.en',
    466 * MIB,
    'db8a495a91d927739e50b3fc1cc4c6b8f6c2d022',
    'Clearly better with accents; English only.',
  ),
  model(
    'medium',
    1.5 * GIB,
    'fd9727b6e1217c2f614f9b698455c4ffd82463b4',
    'Accurate; slow without a strong processor.',
  ),
  model('medium.en', 1.5 * GIB, '8c30f0e44ce9560643ebd10bbe50cd20eafd3723', 'Accurate; English only.'),
  model(
    'large-v2',
    2.9 * GIB,
    '0f4c8e34f21cf1a914c59d8b3ce882345ad349d6',
    'Accurate in many languages; slow.',
  ),
  model(
    'large-v2-q5_0',
    1.1 * GIB,
    '00e39f2196344e901b3a2bd5814807a769bd1630',
    'large-v2, smaller in memory.',
  ),
  model('large-v3', 2.9 * GIB, 'ad82bf6a9043ceed055076d0fd39f5f186ff8062', 'The most accurate; slowest.'),
  model(
    'large-v3-q5_0',
    1.1 * GIB,
    'e6e2ed78495d403bef4b7cff42ef4aaadcfea8de',
    'large-v3, smaller in memory.',
  ),
  model(
    'large-v3-turbo',
    1.5 * GIB,
    '4af2b29d7ec73d781377bfd1758ca957a807e941',
    'Nearly as accurate as large-v3, much faster.',
  ),
  model(
    'large-v3-turbo-q5_0',
    547 * MIB,
    'e050f7970618a659205450ad97eb95a18d69c9ee',
    'large-v3-turbo, smaller in memory.',
  ),
  parakeet(
    'q8_0',
    668_757_119,
    '4d64e9e96c2792186d072fde0034df0ad670cf680a2f53069052ead827fd600e',
    'Fast and accurate in 25 European languages.',
  ),
  parakeet(
    'f16',
    1_255_897_319,
    '833bffc9513b2cae867ee9e51633cfd11e4d51aaa5597c8ac02159385a2b426f',
    'Parakeet in full precision: larger, hardly more accurate.',
  ),
];

/** Parses a line of the setting `models.catalogue`, which the setting's schema has validated: id, bytes, SHA-256. */
const parseEntry = (line: string): CatalogueModel => {
  const [id = '', bytes = '0', sha256 = ''] = line.trim().split(/\s+/);
  const size = Number(bytes);
  return {
    id,
    name: id,
    size,
    sizeBounds: { min: size, max: size },
    checksum: { algorithm: 'sha256', hex: sha256.toLowerCase() },
    languages: languagesOf(id),
    kind: 'whisper',
    description: 'Listed in the settings of this installation.',
  };
};

/**
 * Every model that can be installed: those that whisper.cpp and sherpa-onnx publish, and those of the setting
 * `models.catalogue`, which override published ones because a mirror's owner knows what is on it.
 */
export const catalogueOf = (settingLines: readonly string[]): readonly CatalogueModel[] => {
  const models = new Map([...PUBLISHED, ...SPEAKER_CATALOGUE].map((entry) => [entry.id, entry]));
  for (const line of settingLines) {
    const entry = parseEntry(line);
    models.set(entry.id, entry);
  }
  return [...models.values()];
};

/** The checksum of a file, in hexadecimal. */
export const hashFile = async (
  path: string,
  algorithm: NonNullable<CatalogueModel['checksum']>['algorithm'],
  signal?: AbortSignal,
): Promise<string> => {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path, { highWaterMark: MIB }), hash, { signal });
  return hash.digest('hex');
};

/** The bundled demonstration models. */
export const STARTER = {
  id: 'starter',
  kind: 'whisper',
  name: 'Demonstration model',
  file: 'ggml-starter.bin',
  size: 28_969_635,
  sha256: 'f5b1625e248bd83543a27664f98625c86b1f21705c16d1e99ede6fb50e3a7fb7',
  languages: ['en', 'es', 'de', 'fr'],
  description:
    'For trying the program without a download. It knows synthetic voices only: on real recordings its text is wrong.',
} as const;

export const STARTER_PARAKEET = {
  id: 'starter-parakeet',
  kind: 'parakeet',
  name: 'Demonstration model: Parakeet',
  file: 'ggml-starter-parakeet.bin',
  size: 21_633_342,
  sha256: 'af5536ba96a7e43764e6a881d99948674009497bcfbfef686248ec5a0a4fdf06',
  languages: ['en'],
  description:
    'For trying the Parakeet family without a download. It knows synthetic voices and English only: on real recordings its text is wrong.',
} as const;

/** The bundled speech models. */
export const STARTERS = [STARTER, STARTER_PARAKEET] as const;
