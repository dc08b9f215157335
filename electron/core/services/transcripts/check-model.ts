import type { CreateTranscript } from '../../../contract/transcript.ts';
import { AppError } from '../../base/errors.ts';
import type { ModelService } from '../models/index.ts';

/** Throws `invalid_request` where the model is not known, or cannot do what is asked. */
export const checkModel = (
  models: Pick<ModelService, 'isKnown' | 'isEnglishOnly' | 'canTranslate'>,
  body: Pick<CreateTranscript, 'model' | 'language' | 'translate'>,
): void => {
  const problem = (path: string, message: string) =>
    new AppError('invalid_request', `${path}: ${message}.`, { details: [{ path, message }] });
  if (!models.isKnown(body.model)) {
    throw problem(
      'model',
      `there is no model called ${body.model.slice(0, 100)}; use nano, mini, pro or an id of GET /v1/models`,
    );
  }
  if (body.language !== 'auto' && body.language !== 'en' && models.isEnglishOnly(body.model)) {
    throw problem('language', `the model ${body.model} is English-only`);
  }
  if (body.translate && !models.canTranslate(body.model)) {
    throw problem('translate', `the model ${body.model} was not trained to translate; use mini`);
  }
};
