import { constants } from 'node:fs';
import { copyFile, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { AppError, systemCode } from '../../base/errors.ts';
import type { SpeakerModelPart } from '../../engines/diarizer/tasks.ts';
import { type CatalogueModel, hashFile, isEnglishId, speakerPartOf, speakerPartOfFile } from './catalogue.ts';
import { isModelId, type ModelFiles } from './files.ts';
import { checkSpeakerModel, type ModelTrial, readFacts } from './verify.ts';

type Deps = {
  readonly files: ModelFiles;
  readonly trial: ModelTrial;
  readonly find: (id: string) => CatalogueModel | undefined;
};

type Request = {
  /** Absolute, on this machine. */
  readonly path: string;
  /** Default: derived from the file's name. */
  readonly id: string | undefined;
};

const invalidField = (path: 'path' | 'id', message: string): AppError =>
  new AppError('invalid_request', message, { details: [{ path, message }] });

/** `ggml-my model.bin` → `my-model`, and `titanet.onnx` → `embedding-titanet`. */
const idFromName = (path: string, part: SpeakerModelPart | undefined): string => {
  const name = basename(path)
    .replace(/\.\w+$/, '')
    .replace(/^ggml-/, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[-.]+/, '');
  return (part === undefined || speakerPartOf(name) === part ? name : `${part}-${name}`).slice(0, 100);
};

const sizeOf = async (path: string): Promise<number> => {
  if (!isAbsolute(path)) throw invalidField('path', 'The path must be an absolute one on this machine.');
  try {
    const stats = await stat(path);
    if (stats.isFile()) return stats.size;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EACCES' || code === 'EPERM') throw invalidField('path', 'Earshot may not read this file.');
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
  throw invalidField('path', 'There is no such file on this machine.');
};

/**
 * Copies a local file into the folder of models, verifies the copy, and returns the model's id.
 * Throws `invalid_request` (path, id), `conflict` (the id is taken), `disk_full`, `model_invalid`.
 */
export const importModel = async ({ files, trial, find }: Deps, request: Request): Promise<string> => {
  const size = await sizeOf(request.path);
  const part = await speakerPartOfFile(request.path);
  const wanted = request.id ?? idFromName(request.path, part);
  if (!isModelId(wanted)) {
    throw invalidField(
      'id',
      'The id may have letters, digits, dots and dashes, and begins with a letter or digit.',
    );
  }
  await files.checkDiskSpace(size);
  const copy = files.importPath(wanted);
  try {
    // EXCL: an existing copy belongs to a concurrent import of the same id.
    await copyFile(request.path, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      await rm(copy, { force: true });
      throw error;
    }
    throw new AppError('conflict', `A model is just being imported as ${wanted}.`, { cause: error });
  }
  try {
    const id = await verifyId(trial, copy, wanted, request.id !== undefined);
    if (files.path(id) !== undefined) {
      throw new AppError('conflict', `A model called ${id} is installed already; give this one another id.`);
    }
    await checkPublished(copy, find(id));
    await files.commit(id, copy);
    return id;
  } finally {
    await rm(copy, { force: true });
  }
};

/** Verifies the file, and returns the id that a model of its kind must have. */
const verifyId = async (
  trial: ModelTrial,
  path: string,
  wanted: string,
  isGiven: boolean,
): Promise<string> => {
  const part = speakerPartOf(wanted);
  if (part !== undefined) {
    await checkSpeakerModel(trial, part, path);
    return wanted;
  }
  if ((await speakerPartOfFile(path)) !== undefined) {
    throw invalidField('id', 'The id of a model for speakers begins with "segmentation-" or "embedding-".');
  }
  const { multilingual } = await readFacts(trial.engine, path);
  return idFor(wanted, multilingual, isGiven);
};

/** The id of an English-only model contains `.en`, as the published ones do: requests are validated by it. */
const idFor = (wanted: string, isMultilingual: boolean, isGiven: boolean): string => {
  if (isMultilingual === !isEnglishId(wanted)) return wanted;
  if (isMultilingual)
    throw invalidField('id', `This model hears many languages, so its id must not have ".en".`);
  if (isGiven) throw invalidField('id', `This model hears English alone: call it ${wanted}.en.`);
  return `${wanted}.en`;
};

/** A file may have the id of a catalogue model only if it is that model. */
const checkPublished = async (path: string, model: CatalogueModel | undefined): Promise<void> => {
  if (model === undefined) return;
  const { algorithm, hex } = model.checksum;
  if ((await hashFile(path, algorithm)) === hex) return;
  throw invalidField('id', `This file is not the ${model.id} of the catalogue; give it an id of its own.`);
};
