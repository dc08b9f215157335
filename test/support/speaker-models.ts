import { join } from 'node:path';
import { SETTINGS } from '../../electron/contract/settings.ts';
import { thresholdsOf } from '../../electron/core/services/models/catalogue.ts';
import { RESOURCES } from './paths.ts';

const { 'speakers.segmentation': segmentation, 'speakers.embedding': embedding } = SETTINGS;
const bundled = (id: string): string => join(RESOURCES, 'models', `${id}.onnx`);

/** The bundled speaker models. */
export const speakerModels = {
  segmentation: bundled(segmentation.default),
  embedding: bundled(embedding.default),
  clusteringThreshold: thresholdsOf(embedding.default).clustering,
  sameSpeakerCosine: thresholdsOf(embedding.default).within,
};
