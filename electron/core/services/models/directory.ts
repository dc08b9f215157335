import { isModelAlias, type ModelAlias } from '../../../contract/model-aliases.ts';
import type { Model } from '../../../contract/system.ts';
import { type Capabilities, capabilitiesOf } from '../../engines/whisper/capabilities.ts';
import { readModelHeader } from '../../engines/whisper/model-header.ts';
import type { SettingsService } from '../settings.ts';
import { type CatalogueModel, catalogueOf, isEnglishId, type ModelLanguages, STARTERS } from './catalogue.ts';
import type { ModelFiles } from './files.ts';
import { speakerPartOf } from './speaker-models.ts';

type Deps = { readonly settings: Pick<SettingsService, 'get'>; readonly files: ModelFiles };

const aliasSetting = (alias: ModelAlias) => `models.aliases.${alias}` as const;

const starterOf = (id: string) => STARTERS.find((starter) => starter.id === id);

export const isStarter = (id: string): boolean => starterOf(id) !== undefined;

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

  /** The model id of a name in a request: that of an alias, else the name itself. */
  idOf(name: string): string {
    return isModelAlias(name) ? this.#deps.settings.get(aliasSetting(name)) : name;
  }

  isInstalled(id: string): boolean {
    return this.#deps.files.path(id) !== undefined;
  }

  /** Whether a name is an alias, a catalog entry or an installed file of a speech model. */
  isKnown(name: string): boolean {
    const id = this.idOf(name);
    if (speakerPartOf(id) !== undefined) return false;
    return isStarter(id) || this.find(id) !== undefined || this.isInstalled(id);
  }

  /** The kind of a model file of the user's own, by its name and header. */
  kindOf(id: string): Model['kind'] {
    if (speakerPartOf(id) !== undefined) return 'speakers';
    return (starterOf(id) ?? this.find(id))?.kind ?? this.#headerOf(id)?.family ?? 'whisper';
  }

  /** What the model of a name transcribes. */
  languagesOf(name: string): ModelLanguages {
    const id = this.idOf(name);
    if (name === 'nano' || isEnglishId(id)) return ['en'];
    const known = starterOf(id) ?? this.find(id);
    if (known !== undefined) return known.kind === 'whisper' ? 'multilingual' : known.languages;
    return this.#headerOf(id)?.multilingual === false ? ['en'] : 'multilingual';
  }

  /** Whether the model can translate to English: neither `.en` nor `turbo` models nor those of Parakeet's family can. */
  canTranslate(name: string): boolean {
    const id = this.idOf(name);
    return this.kindOf(id) === 'whisper' && this.languagesOf(name) === 'multilingual' && !/turbo/.test(id);
  }

  capabilitiesOf(id: string): Capabilities {
    const header = this.#headerOf(id);
    const multilingual = header?.multilingual ?? this.languagesOf(id) === 'multilingual';
    return capabilitiesOf({ family: 'whisper', ...header, multilingual });
  }

  /**
   * A multilingual Whisper model that is installed, the smallest one: it hears which language is spoken. Never the
   * demonstration model, which takes every voice for one of its four languages.
   */
  languageDetector(): { readonly id: string; readonly path: string } | undefined {
    const { files } = this.#deps;
    const [smallest] = files
      .installed()
      .filter(({ id }) => this.kindOf(id) === 'whisper' && this.languagesOf(id) === 'multilingual')
      .sort((a, b) => a.size - b.size);
    if (smallest === undefined) return undefined;
    const path = files.path(smallest.id);
    return path === undefined ? undefined : { id: smallest.id, path };
  }

  /** The type of an installed Whisper model's matrices, such as `f16`; undefined for others. */
  weightsOf(id: string): string | undefined {
    return this.#headerOf(id)?.weights;
  }

  /** Whether a q8_0 copy can be made of an installed model. The demonstration model is too small to gain by one. */
  isQuantizable(id: string): boolean {
    return !isStarter(id) && ['f16', 'f32'].includes(this.weightsOf(id) ?? '');
  }

  /** Undefined if the model is not installed, or its file is of no family. */
  #headerOf(id: string): ReturnType<typeof readModelHeader> {
    const path = this.#deps.files.path(id);
    return path === undefined ? undefined : readModelHeader(path);
  }
}
