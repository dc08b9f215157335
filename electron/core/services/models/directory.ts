import { isModelAlias, type ModelAlias } from '../../../contract/names.ts';
import type { Model } from '../../../contract/system.ts';
import { type Capabilities, capabilitiesOf } from '../../engines/whisper/capabilities.ts';
import { readModelHeader } from '../../engines/whisper/model-header.ts';
import type { SettingsService } from '../settings.ts';
import {
  BUNDLED_RECOGNIZER,
  type CatalogueModel,
  catalogueOf,
  isEnglishId,
  type ModelLanguages,
  publishedId,
  splitWeights,
} from './catalogue.ts';
import type { ModelFiles } from './files.ts';
import { speakerPartOf } from './speaker-models.ts';

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
