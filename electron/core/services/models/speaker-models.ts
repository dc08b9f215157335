import { AppError } from '../../base/errors.ts';
import { onnxMetadata } from '../../engines/diarizer/onnx-header.ts';
import type { SpeakerModelPart } from '../../engines/diarizer/tasks.ts';
import type { CatalogueModel } from './catalogue.ts';

/** The part of diarization that a speaker model is for, by the prefix of its id; undefined for a speech model. */
export const speakerPartOf = (id: string): SpeakerModelPart | undefined =>
  id.startsWith('segmentation-') ? 'segmentation' : id.startsWith('embedding-') ? 'embedding' : undefined;

/** What tells one speaker's embeddings from another's. */
export type SpeakerThresholds = {
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
export const SPEAKER_MODELS: readonly SpeakerModel[] = [
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
