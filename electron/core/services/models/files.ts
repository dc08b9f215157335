import { existsSync, readdirSync, statSync } from 'node:fs';
import { open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isModelAlias, type ModelAlias } from '../../../contract/names.ts';
import type { Model } from '../../../contract/system.ts';
import { AppError, systemCode } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { type Capabilities, capabilitiesOf, readModelHeader } from '../../engines/whisper/capabilities.ts';
import type { SettingsService } from '../settings.ts';
import {
  BUNDLED_RECOGNIZER,
  type CatalogueModel,
  catalogueOf,
  isBundled,
  isEnglishId,
  type ModelLanguages,
  publishedId,
  speakerPartOf,
  splitWeights,
} from './catalogue.ts';

type Deps = { readonly settings: Pick<SettingsService, 'get'>; readonly files: ModelFiles };

const aliasSetting = (alias: ModelAlias) => `models.aliases.${alias}` as const;

/** What a name in a request stands for, and what its model can do: from the catalog, and the headers of installed files. */
export class ModelDirectory {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  catalogue(): readonly CatalogueModel[] {
    return catalogueOf(this.#deps.settings.get('models.catalogue'));
  }

  find(id: string): CatalogueModel | undefined {
    return this.catalogue().find((model) => model.id === id);
  }

  /**
   * The model id of a name in a request: that of an alias, else the name itself. An alias also stands for the same model in
   * other weights if only these are installed.
   */
  idOf(name: string): string {
    if (!isModelAlias(name)) return name;
    const id = this.#deps.settings.get(aliasSetting(name));
    if (this.isInstalled(id)) return id;
    const { model } = splitWeights(id);
    return this.#deps.files.installed().find((file) => splitWeights(file.id).model === model)?.id ?? id;
  }

  /**
   * The id of a model by its name elsewhere: in weights that are installed if there are some, else in those that are named, else in
   * the first of the catalog; the name itself if there is no such model.
   */
  published(name: string): string {
    const id = publishedId(name);
    const { model } = splitWeights(id);
    const isSame = (other: { readonly id: string }) =>
      splitWeights(other.id).model === model && this.isRecognizer(other.id);
    const named = id === model ? undefined : this.find(id);
    return (this.#deps.files.installed().find(isSame) ?? named ?? this.catalogue().find(isSame))?.id ?? name;
  }

  /** The id of the model that answers to a name: until a model for `nano` is installed, the bundled one does. */
  answering(name: string): string {
    const id = this.idOf(name);
    return name === 'nano' && !this.isInstalled(id) ? BUNDLED_RECOGNIZER : id;
  }

  isInstalled(id: string): boolean {
    return this.#deps.files.path(id) !== undefined;
  }

  /** Whether a name is an alias, a catalog entry or an installed file of a recognizer. */
  isKnown(name: string): boolean {
    const id = this.idOf(name);
    return this.isRecognizer(id) && (this.find(id) !== undefined || this.isInstalled(id));
  }

  isRecognizer(id: string): boolean {
    return ['whisper', 'parakeet'].includes(this.kindOf(id));
  }

  /** The kind of a model file of the user's own, by its name and header. */
  kindOf(id: string): Model['kind'] {
    if (speakerPartOf(id) !== undefined) return 'speakers';
    return this.find(id)?.kind ?? this.#headerOf(id)?.family ?? 'whisper';
  }

  /** What the model of a name transcribes. */
  languagesOf(name: string): ModelLanguages {
    const id = this.idOf(name);
    if (name === 'nano' || isEnglishId(id)) return ['en'];
    const known = this.find(id);
    if (known !== undefined) return known.kind === 'whisper' ? 'multilingual' : known.languages;
    return this.#headerOf(id)?.multilingual === false ? ['en'] : 'multilingual';
  }

  /** Whether the model can translate to English: neither `.en` nor `turbo` models nor those of Parakeet's family can. */
  canTranslate(name: string): boolean {
    const id = this.idOf(name);
    return this.kindOf(id) === 'whisper' && this.languagesOf(name) === 'multilingual' && !/turbo/.test(id);
  }

  /** What the model that answers to a name does for it: for `nano`, English alone. */
  capabilitiesOf(name: string): Capabilities {
    const header = this.#headerOf(this.answering(name));
    const isMultilingual = this.languagesOf(name) !== 'multilingual' ? false : (header?.multilingual ?? true);
    return capabilitiesOf({ family: 'whisper', ...header, multilingual: isMultilingual });
  }

  /** Undefined if the model is not installed, or its file is of no family. */
  #headerOf(id: string): ReturnType<typeof readModelHeader> {
    const path = this.#deps.files.path(id);
    return path === undefined ? undefined : readModelHeader(path);
  }
}

export type ModelDirs = {
  /** The folder of models that the user installed. */
  readonly installed: string;
  /** The folder of models that come with the program. */
  readonly bundled: string;
};

const MODEL_FILE = /^(?:ggml-(?<speech>.+)\.bin|(?<speakers>(?:segmentation|embedding)-.+)\.onnx)$/;
const TEMPORARY_FILE = /^(.+\.(?:bin|onnx))\.(part|import)/;

/** An installation leaves this much free space on the disk. */
const MIN_FREE_DISK = 64 * 1024 * 1024;

/** Where earlier versions kept 8-bit copies of models. */
const FORMER_COPIES = 'quantized';

/** Whether a text is a valid model id, which is safe in file names on every system. */
export const isModelId = (id: string): boolean => /^\w[\w.-]{0,99}$/.test(id);

/** The name of a model's file, here and on a mirror. */
export const modelFileName = (id: string): string =>
  speakerPartOf(id) === undefined ? `ggml-${id}.bin` : `${id}.onnx`;

/** The model id in a file's name; undefined if it is not that of a model. */
const idOfFile = (name: string): string | undefined => {
  const { speech, speakers } = MODEL_FILE.exec(name)?.groups ?? {};
  const id = speech ?? speakers;
  return id !== undefined && isModelId(id) ? id : undefined;
};

const flushFolder = async (folder: string): Promise<void> => {
  // Windows cannot open a folder, and its renames are durable.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** The model files on this machine. A file under a model's final name is complete and verified. */
export class ModelFiles {
  readonly #dirs: ModelDirs;

  constructor(dirs: ModelDirs) {
    this.#dirs = dirs;
  }

  /** The path of an installed or bundled model. */
  path(id: string): string | undefined {
    if (!isModelId(id)) return undefined;
    const path = isBundled(id) ? join(this.#dirs.bundled, modelFileName(id)) : this.#finalPath(id);
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
  }

  /** The file of a model during its download. */
  partialPath(id: string): string {
    return `${this.#finalPath(id)}.part`;
  }

  /** The file of a model during its import. */
  importPath(id: string): string {
    return `${this.#finalPath(id)}.import`;
  }

  /** Whether a download is complete but not yet verified: the downloader then removes the resume state. */
  isDownloadComplete(id: string): boolean {
    return existsSync(this.partialPath(id)) && !existsSync(`${this.partialPath(id)}.resume.json`);
  }

  /** The models in the folder of installed models, by id; sizes in bytes. */
  installed(): { id: string; size: number }[] {
    return readdirSync(this.#dirs.installed)
      .flatMap((name) => {
        const id = idOfFile(name);
        if (id === undefined || isBundled(id)) return [];
        return [{ id, size: statSync(join(this.#dirs.installed, name)).size }];
      })
      .toSorted((a, b) => a.id.localeCompare(b.id));
  }

  /** Throws `disk_full` if there is no space for `bytes` more. */
  async checkDiskSpace(bytes: number): Promise<void> {
    const disk = await statfs(this.#dirs.installed);
    const free = disk.bavail * disk.bsize;
    if (bytes + MIN_FREE_DISK <= free) return;
    throw new AppError(
      'disk_full',
      `There is not room for the model: it needs ${formatBytes(bytes)}, and ${formatBytes(free)} are free.`,
    );
  }

  /** Moves a verified file to the model's final name, atomically and durably. */
  async commit(id: string, from: string): Promise<void> {
    const file = await open(from, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    const path = this.#finalPath(id);
    await rename(from, path);
    await flushFolder(dirname(path));
  }

  /** Removes an installed model. Throws `conflict` while the system holds the file open (Windows). */
  async remove(id: string): Promise<void> {
    try {
      await rm(this.#finalPath(id), { force: true });
    } catch (error) {
      if (!['EBUSY', 'EPERM', 'EACCES'].includes(systemCode(error) ?? '')) throw error;
      throw new AppError('conflict', `The file of ${id} is in use or protected; try again later.`, {
        cause: error,
      });
    }
  }

  /** Removes the partial file of a download. */
  async removePartial(id: string): Promise<void> {
    await this.#removeTemporaryFiles((owner, kind) => owner === id && kind === 'part');
  }

  /** Removes the temporary files of downloads and imports that will not be resumed, and what earlier versions left. */
  async removeOrphans(isResumable: (id: string) => boolean): Promise<void> {
    await rm(join(this.#dirs.installed, FORMER_COPIES), { recursive: true, force: true });
    await this.#removeTemporaryFiles((id) => !isResumable(id));
  }

  async #removeTemporaryFiles(isUnwanted: (id: string, kind: string) => boolean): Promise<void> {
    for (const name of await readdir(this.#dirs.installed)) {
      const [, file = '', kind] = TEMPORARY_FILE.exec(name) ?? [];
      const id = idOfFile(file);
      if (id === undefined || kind === undefined) continue;
      if (isUnwanted(id, kind)) await rm(join(this.#dirs.installed, name), { force: true });
    }
  }

  #finalPath(id: string): string {
    return join(this.#dirs.installed, modelFileName(id));
  }
}
