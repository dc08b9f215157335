import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Model } from '../../../contract/system.ts';
import { AppError } from '../../base/errors.ts';
import { onnxMetadata } from '../../engines/diarizer/onnx-header.ts';
import type { SpeakerModelPart } from '../../engines/diarizer/tasks.ts';

/** The part of diarization that a speaker model is for, by the prefix of its id; undefined for a speech model. */
export const speakerPartOf = (id: string): SpeakerModelPart | undefined =>
  id.startsWith('segmentation-') ? 'segmentation' : id.startsWith('embedding-') ? 'embedding' : undefined;

/** What tells one speaker's embeddings from another's. */
type SpeakerThresholds = {
  /** The cosine distance up to which voices of a block are one speaker's: see DiarizationModels. */
  readonly clustering: number;
  /** The least cosine similarity of one speaker within a recording. */
  readonly within: number;
  /** The least cosine similarity of one speaker in two recordings. */
  readonly across: number;
};

/**
 * Measured with the bundled models on dialogues of two to eight people: see docs/models.md. Conservative for other models.
 */
const THRESHOLDS: SpeakerThresholds = { clustering: 0.45, within: 0.6, across: 0.65 };

const RELEASES = 'https://github.com/k2-fsa/sherpa-onnx/releases/download';

type SpeakerModel = Pick<CatalogueModel, 'id' | 'name' | 'size' | 'description' | 'bundled' | 'url'> & {
  readonly sha256: string;
  /** Of an embedding model. */
  readonly thresholds?: SpeakerThresholds;
};

/** The speaker models that come along, and those that sherpa-onnx publishes. */
const SPEAKER_MODELS: readonly SpeakerModel[] = [
  {
    id: 'segmentation-pyannote-3.0-small',
    name: 'pyannote segmentation 3.0',
    size: 2_069_470,
    sha256: 'b4a68aa49b398d550e3185e3c7fce74ac263dec2eadac210a397d956eabb371c',
    description: 'Comes along. Finds turns of speech, up to three voices at once. MIT.',
    bundled: true,
  },
  {
    id: 'embedding-campplus-zh-en-small',
    name: '3D-Speaker CAM++',
    size: 11_480_509,
    sha256: '9e4e052a8548e68f9068bb6833270bd10d83e36d49983277e02ed2e7f2a64c77',
    description: 'Comes along. Compares voices; trained on Chinese and English speech. Apache 2.0.',
    bundled: true,
    thresholds: THRESHOLDS,
  },
  {
    id: 'segmentation-pyannote-3.0',
    name: 'pyannote segmentation 3.0, 32 bits',
    size: 5_992_913,
    sha256: '220ad67ca923bef2fa91f2390c786097bf305bceb5e261d4af67b38e938e1079',
    url: 'https://huggingface.co/csukuangfj/sherpa-onnx-pyannote-segmentation-3-0/resolve/main/model.onnx',
    description: 'The bundled one in full precision: larger, as accurate. MIT.',
  },
  {
    id: 'embedding-titanet-small',
    name: 'NeMo TitaNet small',
    size: 40_257_283,
    sha256: 'ad4a1802485d8b34c722d2a9d04249662f2ece5d28a7a039063ca22f515a789e',
    url: `${RELEASES}/speaker-recongition-models/nemo_en_titanet_small.onnx`,
    description: 'Compares voices; trained on English speech. CC BY 4.0.',
  },
  {
    id: 'embedding-eres2net-base',
    name: '3D-Speaker ERes2Net base',
    size: 39_593_761,
    sha256: '1a331345f04805badbb495c775a6ddffcdd1a732567d5ec8b3d5749e3c7a5e4b',
    url: `${RELEASES}/speaker-recongition-models/3dspeaker_speech_eres2net_base_sv_zh-cn_3dspeaker_16k.onnx`,
    description: 'Compares voices; trained on Chinese speech. Apache 2.0.',
  },
  {
    id: 'embedding-campplus-zh-en',
    name: '3D-Speaker CAM++, 32 bits',
    size: 28_281_164,
    sha256: 'aa3cfc16963a10586a9393f5035d6d6b57e98d358b347f80c2a30bf4f00ceba2',
    url: `${RELEASES}/speaker-recongition-models/3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx`,
    description: 'The bundled one in full precision: larger, as accurate. Apache 2.0.',
    thresholds: THRESHOLDS,
  },
  {
    // Its publisher names no checksum: size and SHA-256 are those that one public project pins.
    id: 'embedding-campplus-voxceleb',
    name: '3D-Speaker CAM++ VoxCeleb',
    size: 29_596_978,
    sha256: '357a834f702b80161e5b981182c038e18553c1f2ca752ed6cec2052365d4129b',
    url: `${RELEASES}/speaker-recongition-models/3dspeaker_speech_campplus_sv_en_voxceleb_16k.onnx`,
    description: 'Compares voices; trained on English interviews. Apache 2.0.',
  },
];

/** The thresholds of an embedding model, by its id. */
export const thresholdsOf = (embeddingId: string): SpeakerThresholds =>
  SPEAKER_MODELS.find(({ id }) => id === embeddingId)?.thresholds ?? THRESHOLDS;

/** The metadata without which sherpa-onnx aborts its process. */
const REQUIRED_METADATA: Readonly<Record<SpeakerModelPart, readonly string[]>> = {
  segmentation: ['num_speakers', 'powerset_max_classes', 'num_classes', 'window_size', 'sample_rate'],
  embedding: ['framework', 'output_dim', 'sample_rate'],
};

/** The part that an ONNX file is for, by its metadata; undefined if it is no speaker model. */
export const speakerPartOfFile = async (path: string): Promise<SpeakerModelPart | undefined> => {
  const metadata = await onnxMetadata(path);
  if (metadata?.get('sample_rate') !== '16000') return undefined;
  const parts: readonly SpeakerModelPart[] = ['segmentation', 'embedding'];
  return parts.find((part) => REQUIRED_METADATA[part].every((name) => metadata.has(name)));
};

/** Throws `model_invalid` if a file is not a model of this part. */
export const checkSpeakerFile = async (path: string, part: SpeakerModelPart): Promise<void> => {
  if ((await speakerPartOfFile(path)) === part) return;
  throw new AppError(
    'model_invalid',
    `This file holds no ${part} model in the form that sherpa-onnx reads: ONNX for 16 kHz sound, with its metadata.`,
  );
};

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
  readonly checksum: { readonly algorithm: 'sha1' | 'sha256'; readonly hex: string };
  readonly languages: ModelLanguages;
  readonly kind: Model['kind'];
  readonly description: string;
  /** Where it is published, if not beside whisper.cpp's models. */
  readonly url?: string;
  /** Lies in the program's resources, under the name of any model file. */
  readonly bundled?: true;
};

/** A model of one exact file. */
const exactly = (size: number, sha256: string) =>
  ({
    size,
    sizeBounds: { min: size, max: size },
    checksum: { algorithm: 'sha256', hex: sha256 },
  }) as const;

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Whether the id is that of an English-only model: `tiny.en`, `base.en-q5_1`. */
export const isEnglishId = (id: string): boolean => /\.en($|[-.])/.test(id);

const languagesOf = (id: string): ModelLanguages => (isEnglishId(id) ? ['en'] : 'multilingual');

/** Splits `small.en-q5_1` into the published model `small.en` and its weights; without a suffix they are f16. */
export const splitWeights = (id: string): { readonly model: string; readonly weights: string } => {
  const [, model = id, weights = 'f16'] = /^(.+?)(?:-(q\d_\d))?$/.exec(id) ?? [];
  return { model, weights };
};

const SHORT_NAMES: Readonly<Record<string, string>> = {
  large: 'large-v3',
  turbo: 'large-v3-turbo',
  'large-turbo': 'large-v3-turbo',
};

/**
 * The id in the catalog of a name that a model has elsewhere: on Hugging Face (`openai/whisper-small`,
 * `Systran/faster-whisper-large-v3`, `nvidia/parakeet-tdt-0.6b-v3`), as a file (`ggml-base.en.bin`), at other services
 * (`whisper-large-v3-turbo`). It need not exist.
 */
export const publishedId = (name: string): string => {
  const id = name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:ggml-)?(?:faster-)?(?:whisper-)?/, '')
    .replace(/(?:\.bin|-ct2|-gguf|-ggml)$/, '');
  return SHORT_NAMES[id] ?? id;
};

const BITS: Readonly<Record<string, string>> = { q5_0: ', 5 bits', q5_1: ', 5 bits', f16: ', 16 bits' };

/** Whisper, by its id among ggml-org's files; `size` in bytes, perhaps rounded. */
const whisper = (id: string, size: number, sha1: string, description: string): CatalogueModel => {
  const { model, weights } = splitWeights(id);
  return {
    id,
    name: `Whisper ${model}${BITS[weights] ?? ''}`,
    size: Math.round(size),
    // The published sizes are rounded ("1.1 GiB" stands for 1.006): a file far off is another one, or an error page.
    sizeBounds: { min: Math.floor(size * 0.85), max: Math.ceil(size * 1.15) },
    // whisper.cpp's models/README.md and the folder of the files have SHA-1 alone.
    checksum: { algorithm: 'sha1', hex: sha1 },
    languages: languagesOf(id),
    kind: 'whisper',
    description,
  };
};

/** The recognizer that comes along. */
export const BUNDLED_RECOGNIZER = 'base-q8_0';
/** The speech detector that comes along. */
export const SPEECH_DETECTOR = 'silero-v6.2.0';

const RECOGNIZER_AND_DETECTOR: readonly CatalogueModel[] = [
  {
    ...whisper(
      BUNDLED_RECOGNIZER,
      0,
      '',
      'Comes along. A good balance for everyday recordings, in 99 languages.',
    ),
    ...exactly(81_768_585, 'c577b9a86e7e048a0b7eada054f4dd79a56bbfa911fbdacf900ac5b567cbb7d9'),
    bundled: true,
  },
  {
    id: SPEECH_DETECTOR,
    name: 'Silero VAD 6.2',
    ...exactly(885_098, '2aa269b785eeb53a82983a20501ddf7c1d9c48e33ab63a41391ac6c9f7fb6987'),
    languages: 'multilingual',
    kind: 'detector',
    description: 'Comes along. Finds where speech is in a recording. MIT.',
    bundled: true,
  },
];

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
  ...exactly(size, sha256),
  languages: PARAKEET_LANGUAGES,
  kind: 'parakeet',
  description: `${description} By NVIDIA, licensed under CC BY 4.0.`,
  url: `${PARAKEET}/ggml-parakeet-tdt-0.6b-v3-${quantization}.bin`,
});

/**
 * The models that whisper.cpp and ggml-org publish with their checksums: those in 8 bits first, which are half as large as f16,
 * faster, and as accurate on real speech.
 */
const PUBLISHED: readonly CatalogueModel[] = [
  whisper(
    'tiny-q8_0',
    43_537_433,
    '19e8118f6652a650569f5a949d962154e01571d9',
    'Fastest; for clear speech and quick notes.',
  ),
  whisper('tiny.en-q8_0', 43_550_795, '802d6668e7d411123e672abe4cb6c18f12306abb', 'Fastest; English only.'),
  whisper(
    'base.en-q8_0',
    78 * MIB,
    'bb1574182e9b924452bf0cd1510ac034d323e948',
    'A good balance; English only.',
  ),
  whisper(
    'small-q8_0',
    264_464_607,
    'bcad8a2083f4e53d648d586b7dbc0cd673d8afad',
    'Clearly better with accents and noise.',
  ),
  whisper(
    'medium-q8_0',
    785 * MIB,
    'e66645948aff4bebbec71b3485c576f3d63af5d6',
    'Accurate; slow without a strong processor.',
  ),
  whisper(
    'large-v2-q8_0',
    1.54 * GIB,
    'da97d6ca8f8ffbeeb5fd147f79010eeea194ba38',
    'Accurate in many languages; slow.',
  ),
  whisper(
    'large-v3-turbo-q8_0',
    834 * MIB,
    '01bf15bedffe9f39d65c1b6ff9b687ea91f59e0e',
    'Nearly as accurate as large-v3, much faster.',
  ),
  parakeet(
    'q8_0',
    668_757_119,
    '4d64e9e96c2792186d072fde0034df0ad670cf680a2f53069052ead827fd600e',
    'Fast and accurate in 25 European languages.',
  ),
  whisper('large-v3', 2.9 * GIB, 'ad82bf6a9043ceed055076d0fd39f5f186ff8062', 'The most accurate; slowest.'),
  whisper(
    'small.en',
    466 * MIB,
    'db8a495a91d927739e50b3fc1cc4c6b8f6c2d022',
    'Clearly better with accents; English only.',
  ),
  whisper('medium.en', 1.5 * GIB, '8c30f0e44ce9560643ebd10bbe50cd20eafd3723', 'Accurate; English only.'),
  parakeet(
    'f16',
    1_255_897_319,
    '833bffc9513b2cae867ee9e51633cfd11e4d51aaa5597c8ac02159385a2b426f',
    'Parakeet in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'tiny',
    75 * MIB,
    'bd577a113a864445d4c299885e0cb97d4ba92b5f',
    'tiny in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'tiny.en',
    75 * MIB,
    'c78c86eb1a8faa21b369bcd33207cc90d64ae9df',
    'tiny.en in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'base',
    142 * MIB,
    '465707469ff3a37a2b9b8d8f89f2f99de7299dac',
    'base in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'base.en',
    142 * MIB,
    '137c40403d78fd54d454da0f9bd998f78703390c',
    'base.en in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'small',
    466 * MIB,
    '55356645c2b361a969dfd0ef2c5a50d530afd8d5',
    'small in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'medium',
    1.5 * GIB,
    'fd9727b6e1217c2f614f9b698455c4ffd82463b4',
    'medium in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'large-v2',
    2.9 * GIB,
    '0f4c8e34f21cf1a914c59d8b3ce882345ad349d6',
    'large-v2 in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'large-v2-q5_0',
    1.1 * GIB,
    '00e39f2196344e901b3a2bd5814807a769bd1630',
    'large-v2, smaller in memory.',
  ),
  whisper(
    'large-v3-q5_0',
    1.1 * GIB,
    'e6e2ed78495d403bef4b7cff42ef4aaadcfea8de',
    'large-v3, smaller in memory.',
  ),
  whisper(
    'large-v3-turbo',
    1.5 * GIB,
    '4af2b29d7ec73d781377bfd1758ca957a807e941',
    'large-v3-turbo in full precision: larger, hardly more accurate.',
  ),
  whisper(
    'large-v3-turbo-q5_0',
    547 * MIB,
    'e050f7970618a659205450ad97eb95a18d69c9ee',
    'large-v3-turbo, smaller in memory.',
  ),
];

const SPEAKERS: readonly CatalogueModel[] = SPEAKER_MODELS.map(
  ({ size, sha256, thresholds: _, ...model }) => ({
    ...model,
    ...exactly(size, sha256),
    languages: 'multilingual',
    kind: 'speakers',
  }),
);

const KNOWN = [...RECOGNIZER_AND_DETECTOR, ...PUBLISHED, ...SPEAKERS];

/** The models that come along. */
export const BUNDLED = KNOWN.filter(({ bundled }) => bundled === true);

const BUNDLED_IDS: ReadonlySet<string> = new Set(BUNDLED.map(({ id }) => id));

export const isBundled = (id: string): boolean => BUNDLED_IDS.has(id);

/** Parses a line of the setting `models.catalogue`, which the setting's schema has validated: id, bytes, SHA-256. */
const parseEntry = (line: string): CatalogueModel => {
  const [id = '', bytes = '0', sha256 = ''] = line.trim().split(/\s+/);
  return {
    id,
    name: id,
    ...exactly(Number(bytes), sha256.toLowerCase()),
    languages: languagesOf(id),
    kind: 'whisper',
    description: 'Listed in the settings of this installation.',
  };
};

/**
 * Every model that comes along or can be installed: those that whisper.cpp and sherpa-onnx publish, and those of the setting
 * `models.catalogue`, which override published ones because a mirror's owner knows what is on it.
 */
export const catalogueOf = (settingLines: readonly string[]): readonly CatalogueModel[] => {
  const models = new Map(KNOWN.map((entry) => [entry.id, entry]));
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
