import { join } from 'node:path';
import {
  CLUSTERING_THRESHOLD,
  sameSpeakerCosineOf,
} from '../../electron/core/services/models/speaker-models.ts';
import { RESOURCES } from './paths.ts';

const FOLDER = join(RESOURCES, 'models');

/** The bundled speaker models. */
export const speakerModels = {
  segmentation: join(FOLDER, 'segmentation-pyannote-3.0-small.onnx'),
  embedding: join(FOLDER, 'embedding-campplus-zh-en-small.onnx'),
  clusteringThreshold: CLUSTERING_THRESHOLD,
  sameSpeakerCosine: sameSpeakerCosineOf('embedding-campplus-zh-en-small').within,
};
