import type { LanguageModelTrial } from '../../contract/system.ts';
import { chat, LlmError, listChatModels } from '../engines/llm/summarizer.ts';
import type { HttpClient } from '../engines/net/types.ts';
import { endpointOf } from '../pipeline/findings/analyze.ts';
import { languageModelOf, type SettingsService } from './settings.ts';

export type LanguageModelDeps = { readonly http: HttpClient; readonly settings: SettingsService };
type Trial = LanguageModelTrial['data'];
type Problem = NonNullable<Trial['problem']>;

const QUESTION = [{ role: 'user', content: 'Answer with this JSON object only: {"bullets": []}' }] as const;

const problemOf = (error: unknown): Problem => {
  if (!(error instanceof LlmError)) throw error;
  return { code: error.code, message: `The language model cannot be used: ${error.message}.` };
};

/** Asks the server of the settings which models it offers, and the chosen model for a short answer. */
export const tryLanguageModel = async ({ http, settings }: LanguageModelDeps): Promise<Trial> => {
  const named = languageModelOf(settings);
  const { url, model } = named;
  if (url === '') {
    const message = 'No address of a language model is set (llm.url).';
    return { models: [], model, seconds: null, problem: { code: 'not_set', message } };
  }
  const endpoint = endpointOf(http, named);
  let models: string[] = [];
  let problem: Problem | null = null;
  try {
    models = await listChatModels(endpoint);
  } catch (error) {
    // Some servers have no list: the chosen model may still answer.
    problem = problemOf(error);
  }
  if (model === '') return { models, model, seconds: null, problem };
  const startedAt = performance.now();
  try {
    await chat(endpoint, QUESTION);
    return { models, model, seconds: (performance.now() - startedAt) / 1000, problem: null };
  } catch (error) {
    const isUnknown = models.length > 0 && !models.includes(model);
    const message = `The server does not offer a model named ${model}.`;
    return {
      models,
      model,
      seconds: null,
      problem: isUnknown ? { code: 'unknown_model', message } : problemOf(error),
    };
  }
};
