import { resolve } from 'node:path';
import { likenessOf, STARTER_SPEAKERS } from '../../electron/core/services/models/speaker-models.ts';

const FOLDER = resolve(import.meta.dirname, '..', '..', 'resources', 'models');
const { segmentation, embedding } = STARTER_SPEAKERS;

/** The speaker models that come with the program. */
export const starterModels = {
  segmentation: resolve(FOLDER, segmentation.file),
  embedding: resolve(FOLDER, embedding.file),
  sameVoice: likenessOf(embedding.id).within,
};
