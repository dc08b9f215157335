import { AppError } from '../../base/errors.ts';
import { onnxMetadata } from '../../engines/diarizer/onnx-header.ts';
import type { SpeakerModelPart } from '../../engines/diarizer/types.ts';
import type { CatalogueModel } from './catalogue.ts';

/** The bundled speaker models. */
export const STARTER_SPEAKERS = {
  segmentation: {
    id: 'segmentation-starter',
    name: 'Demonstration model: turns',
    file: 'starter-segmentation.onnx',
    size: 1_113_341,
    sha256: '19a7f88eb287c72adba3e46ef7f0e4b0d3f2c8ae1872f0c13503d6e59ac9f997',
    description: 'Finds turns of speech. It knows synthetic voices only.',
  },
  embedding: {
    id: 'embedding-starter',
    name: 'Demonstration model: voices',
    file: 'starter-speaker-embedding.onnx',
    size: 556_841,
    sha256: '3ea701010cf40ca205eefd42e56b87517b32cce28d1b202705bd5aa8ef814655',
    description: 'Compares voices. It knows synthetic voices only.',
  },
} as const;

/** The part of diarization that a speaker model is for, by the prefix of its id; undefined for a speech model. */
export const speakerPartOf = (id: string): SpeakerModelPart | undefined =>
  id.startsWith('segmentation-') ? 'segmentation' : id.startsWith('embedding-') ? 'embedding' : undefined;

/** The least cosine similarity of one speaker's embeddings: within a recording, and across recordings. */
type SameSpeakerCosine = { readonly within: number; readonly across: number };

/**
 * Measured for the bundled model on the sample recordings: one speaker in two recordings has 0.90 or more, different speakers
 * 0.86 or less. Within a recording the threshold is lower: there are few speakers to confuse, and noise makes the turns of
 * one speaker less similar. Conservative guesses for other models.
 */
const SAME_SPEAKER_COSINES: Readonly<Record<string, SameSpeakerCosine>> = {
  [STARTER_SPEAKERS.embedding.id]: { within: 0.8, across: 0.875 },
};
const DEFAULT_SAME_SPEAKER_COSINE: SameSpeakerCosine = { within: 0.6, across: 0.65 };

/** The cosine distance up to which voices of a block are one speaker's: see DiarizationModels. */
export const CLUSTERING_THRESHOLD = 0.45;

export const sameSpeakerCosineOf = (embeddingId: string): SameSpeakerCosine =>
  SAME_SPEAKER_COSINES[embeddingId] ?? DEFAULT_SAME_SPEAKER_COSINE;

const RELEASES = 'https://github.com/k2-fsa/sherpa-onnx/releases/download';

type Published = Pick<CatalogueModel, 'id' | 'name' | 'size' | 'description'> & {
  readonly url: string;
  /** Null if none is published: then only size and structure are checked. */
  readonly sha256: string | null;
};

const PUBLISHED: readonly Published[] = [
  {
    id: 'segmentation-pyannote-3.0',
    name: 'pyannote segmentation 3.0',
    size: 5_992_913,
    sha256: '220ad67ca923bef2fa91f2390c786097bf305bceb5e261d4af67b38e938e1079',
    url: 'https://huggingface.co/csukuangfj/sherpa-onnx-pyannote-segmentation-3-0/resolve/main/model.onnx',
    description: 'Finds turns of speech in real recordings, up to three voices at once. MIT.',
  },
  {
    id: 'embedding-titanet-small',
    name: 'NeMo TitaNet small',
    size: 40_257_283,
    sha256: 'ad4a1802485d8b34c722d2a9d04249662f2ece5d28a7a039063ca22f515a789e',
    url: `${RELEASES}/speaker-recongition-models/nemo_en_titanet_small.onnx`,
    description: 'Compares real voices; trained on English speech. CC BY 4.0.',
  },
  {
    id: 'embedding-eres2net-base',
    name: '3D-Speaker ERes2Net base',
    size: 39_593_761,
    sha256: '1a331345f04805badbb495c775a6ddffcdd1a732567d5ec8b3d5749e3c7a5e4b',
    url: `${RELEASES}/speaker-recongition-models/3dspeaker_speech_eres2net_base_sv_zh-cn_3dspeaker_16k.onnx`,
    description: 'Compares real voices; trained on Chinese speech. Apache 2.0.',
  },
  {
    id: 'embedding-campplus-voxceleb',
    name: '3D-Speaker CAM++',
    size: 29_600_000,
    sha256: null,
    url: `${RELEASES}/speaker-recongition-models/3dspeaker_speech_campplus_sv_en_voxceleb_16k.onnx`,
    description:
      'Compares real voices; trained on English interviews. Apache 2.0. No checksum is published: size and structure are checked.',
  },
];

/** The speaker models that can be installed, as sherpa-onnx publishes them. */
export const SPEAKER_CATALOGUE: readonly CatalogueModel[] = PUBLISHED.map(({ sha256, ...model }) => ({
  ...model,
  sizeBounds:
    sha256 === null
      ? { min: Math.floor(model.size * 0.98), max: Math.ceil(model.size * 1.02) }
      : { min: model.size, max: model.size },
  checksum: sha256 === null ? null : { algorithm: 'sha256', hex: sha256 },
  languages: 'multilingual',
  kind: 'speakers',
}));

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
