import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../../../contract/system.ts';
import { isModelAlias, MODEL_ALIASES, type ModelAlias } from '../../../contract/transcript.ts';
import { AppError } from '../../base/errors.ts';
import type { SettingsService } from '../settings.ts';
import { CATALOGUE, STARTER } from './catalogue.ts';

type ModelDirs = {
  /** What the user installed. */
  readonly installed: string;
  /** What came with the program. */
  readonly bundled: string;
};

export type ResolvedModel = { readonly id: string; readonly path: string; readonly demonstration: boolean };

const FILE = /^ggml-(.+)\.bin$/;

const aliasSetting = (alias: ModelAlias) => `models.aliases.${alias}` as const;

/** Which models there are, which are installed, and which one stands behind a name. */
export class ModelService {
  readonly #settings: SettingsService;
  readonly #dirs: ModelDirs;
  readonly #speeds = new Map<string, number>();

  constructor(settings: SettingsService, dirs: ModelDirs) {
    this.#settings = settings;
    this.#dirs = dirs;
  }

  /** The model id that a name in a request stands for. No name is ever served by another model. */
  idOf(name: string): string {
    return isModelAlias(name) ? this.#settings.get(aliasSetting(name)) : name;
  }

  /** Whether a name is an alias, a catalogue entry or an installed file. */
  isKnown(name: string): boolean {
    const id = this.idOf(name);
    return id === STARTER.id || CATALOGUE.some((model) => model.id === id) || this.#file(id) !== undefined;
  }

  /** Whether this model can hear English alone. */
  isEnglishOnly(name: string): boolean {
    return name === 'nano' || /\.en($|[-.])/.test(this.idOf(name));
  }

  /** Whether this model can write English for another language: neither `.en` nor `turbo` models can. */
  canTranslate(name: string): boolean {
    return !this.isEnglishOnly(name) && !/turbo/.test(this.idOf(name));
  }

  /** The file of the model behind a name; throws `model_not_installed` with what to do about it. */
  resolve(name: string): ResolvedModel {
    const id = this.idOf(name);
    const path = this.#file(id);
    if (path === undefined) {
      throw new AppError(
        'model_not_installed',
        `The model ${id}${id === name ? '' : ` (behind ${name})`} is not installed. Install it with: earshot models install ${id}`,
      );
    }
    return { id, path, demonstration: id === STARTER.id };
  }

  isInstalled(id: string): boolean {
    return this.#file(id) !== undefined;
  }

  /** Times real time, as measured by the latest transcription with this model on this machine. */
  noteSpeed(id: string, speed: number): void {
    this.#speeds.set(id, speed);
  }

  speedOf(id: string): number | undefined {
    return this.#speeds.get(id);
  }

  list(): Model[] {
    const known = new Set([STARTER.id, ...CATALOGUE.map((model) => model.id)]);
    return [
      this.#starter(),
      ...CATALOGUE.map((model) =>
        this.#present({ ...model, sha256: null, languages: this.#languages(model.english) }),
      ),
      ...this.#ownFiles()
        .filter(({ id }) => !known.has(id))
        .map(({ id, size }) =>
          this.#present({
            id,
            name: id,
            size,
            sha1: null,
            sha256: null,
            languages: this.#languages(/\.en($|[-.])/.test(id)),
            description: 'A model file of your own.',
          }),
        ),
    ];
  }

  #languages(english: boolean): Model['languages'] {
    return english ? ['en'] : 'multilingual';
  }

  #starter(): Model {
    const { id, name, size, sha256, languages, description } = STARTER;
    const model = this.#present({
      id,
      name,
      size,
      sha256,
      sha1: null,
      languages: [...languages],
      description,
    });
    return { ...model, bundled: true, demonstration: true };
  }

  #present(
    model: Pick<Model, 'id' | 'name' | 'size' | 'sha1' | 'sha256' | 'languages' | 'description'>,
  ): Model {
    return {
      ...model,
      kind: 'whisper',
      installed: this.isInstalled(model.id),
      bundled: false,
      demonstration: false,
      aliases: MODEL_ALIASES.filter((alias) => this.idOf(alias) === model.id),
      speed: this.#speeds.get(model.id) ?? null,
      download: null,
    };
  }

  #ownFiles(): { id: string; size: number }[] {
    return readdirSync(this.#dirs.installed).flatMap((name) => {
      const id = FILE.exec(name)?.[1];
      return id === undefined ? [] : [{ id, size: statSync(join(this.#dirs.installed, name)).size }];
    });
  }

  #file(id: string): string | undefined {
    if (!/^[\w][\w.-]*$/.test(id)) return undefined;
    const path =
      id === STARTER.id
        ? join(this.#dirs.bundled, STARTER.file)
        : join(this.#dirs.installed, `ggml-${id}.bin`);
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
  }
}
