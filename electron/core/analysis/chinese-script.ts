import type { ChineseScript } from '../../contract/recognition.ts';

export type ScriptConverter = (text: string) => string;

const converters = new Map<ChineseScript, Promise<ScriptConverter>>();

const load = async (script: ChineseScript): Promise<ScriptConverter> => {
  const { Converter } = await import('opencc-js');
  return Converter(script === 'simplified' ? { from: 'tw', to: 'cn' } : { from: 'cn', to: 'tw' });
};

/**
 * Writes Chinese in one script; characters of it already stay. Characters are converted, by the words that they are in where one
 * has several forms; words that differ by region stay as they were said. OpenCC's dictionaries, which take half a second and
 * 80 MB, are loaded for the first text.
 */
export const converterTo = (script: ChineseScript): Promise<ScriptConverter> => {
  const known = converters.get(script) ?? load(script);
  converters.set(script, known);
  return known;
};
