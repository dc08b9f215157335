import { constants } from 'node:fs';
import { copyFile, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { AppError, systemCode } from '../../base/errors.ts';
import type { SpeakerModelPart } from '../../engines/diarizer/types.ts';
import { type CatalogueModel, hashFile, isEnglishId } from './catalogue.ts';
import { isModelId, type ModelFiles } from './files.ts';
import { partOf, partOfFile } from './speaker-models.ts';
import { checkSpeakerModel, type ModelTrial, readFacts } from './verify.ts';

type Deps = {
  readonly files: ModelFiles;
  readonly trial: ModelTrial;
  readonly find: (id: string) => CatalogueModel | undefined;
};

type Request = {
  /** Absolute, on this machine. */
  readonly path: string;
  /** Without it, the file's name gives the id. */
  readonly id: string | undefined;
};

const refuse = (path: 'path' | 'id', message: string): AppError =>
  new AppError('invalid_request', message, { details: [{ path, message }] });

/** `ggml-my model.bin` → `my-model`, and `titanet.onnx` → `embedding-titanet`. */
const idFromName = (path: string, part: SpeakerModelPart | undefined): string => {
  const name = basename(path)
    .replace(/\.\w+$/, '')
    .replace(/^ggml-/, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[-.]+/, '');
  return (part === undefined || partOf(name) === part ? name : `${part}-${name}`).slice(0, 100);
};

const sizeOf = async (path: string): Promise<number> => {
  if (!isAbsolute(path)) throw refuse('path', 'The path must be an absolute one on this machine.');
  try {
    const facts = await stat(path);
    if (facts.isFile()) return facts.size;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EACCES' || code === 'EPERM') throw refuse('path', 'Earshot may not read this file.');
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
  throw refuse('path', 'There is no such file on this machine.');
};

/**
 * Copies a model file of the user's own into the models' folder and gives its id. What is checked is the copy.
 * Throws `invalid_request` (path, id), `conflict` (the id is taken), `disk_full`, `model_invalid`.
 */
export const importModel = async ({ files, trial, find }: Deps, request: Request): Promise<string> => {
  const size = await sizeOf(request.path);
  const part = await partOfFile(request.path);
  const wanted = request.id ?? idFromName(request.path, part);
  if (!isModelId(wanted)) {
    throw refuse(
      'id',
      'The id may have letters, digits, dots and dashes, and begins with a letter or digit.',
    );
  }
  await files.checkRoom(size);
  const copy = files.importing(wanted);
  try {
    // A copy that exists is somebody else's import of the same id.
    await copyFile(request.path, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      await rm(copy, { force: true });
      throw error;
    }
    throw new AppError('conflict', `A model is just being imported as ${wanted}.`, { cause: error });
  }
  try {
    const id = await checkedId(trial, copy, wanted, request.id !== undefined);
    if (files.path(id) !== undefined) {
      throw new AppError('conflict', `A model called ${id} is installed already; give this one another id.`);
    }
    await checkPublished(copy, find(id));
    await files.adopt(id, copy);
    return id;
  } finally {
    await rm(copy, { force: true });
  }
};

/** The id of a file that was found to be a model. */
const checkedId = async (
  trial: ModelTrial,
  path: string,
  wanted: string,
  given: boolean,
): Promise<string> => {
  const part = partOf(wanted);
  if (part !== undefined) {
    await checkSpeakerModel(trial, part, path);
    return wanted;
  }
  if ((await partOfFile(path)) !== undefined) {
    throw refuse('id', 'The id of a model for speakers begins with "segmentation-" or "embedding-".');
  }
  const { multilingual } = await readFacts(trial.engine, path);
  return nameFor(wanted, multilingual, given);
};

/** A model that hears English alone says so in its id, as the published ones do: requests are checked by it. */
const nameFor = (wanted: string, multilingual: boolean, given: boolean): string => {
  if (multilingual === !isEnglishId(wanted)) return wanted;
  if (multilingual) throw refuse('id', `This model hears many languages, so its id must not have ".en".`);
  if (given) throw refuse('id', `This model hears English alone: call it ${wanted}.en.`);
  return `${wanted}.en`;
};

/** A file may take a catalogue's name only when it is that very model. */
const checkPublished = async (path: string, model: CatalogueModel | undefined): Promise<void> => {
  if (!model?.checksum) return;
  const { algorithm, hex } = model.checksum;
  if ((await hashFile(path, algorithm)) === hex) return;
  throw refuse('id', `This file is not the ${model.id} of the catalogue; give it an id of its own.`);
};
