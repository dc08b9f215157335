import { join } from 'node:path';
import { SETTINGS } from '../../electron/contract/settings.ts';
import { STARTER_SPEAKERS, sameSpeakerCosineOf } from '../../electron/core/services/models/speaker-models.ts';
import { RESOURCES } from './paths.ts';

const FOLDER = join(RESOURCES, 'models');
const { segmentation, embedding } = STARTER_SPEAKERS;

/** The bundled speaker models. */
export const starterModels = {
  segmentation: join(FOLDER, segmentation.file),
  embedding: join(FOLDER, embedding.file),
  sameSpeakerCosine: sameSpeakerCosineOf(embedding.id).within,
  windowShiftRatio: SETTINGS['speakers.windowShift'].default,
};
