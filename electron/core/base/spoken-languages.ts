import type { LanguageShare } from '../../contract/transcript.ts';
import { round } from './numbers.ts';

/** A part of a transcript; times are seconds. */
type Spoken = { readonly start: number; readonly end: number; readonly language?: string | null | undefined };

/** The languages of segments by their share of the time of all segments with a language, the most spoken one first. */
export const spokenLanguages = (segments: readonly Spoken[]): LanguageShare[] => {
  const seconds = new Map<string, number>();
  for (const { start, end, language } of segments) {
    if (language == null) continue;
    seconds.set(language, (seconds.get(language) ?? 0) + Math.max(0, end - start));
  }
  const total = [...seconds.values()].reduce((sum, own) => sum + own, 0);
  return [...seconds]
    .map(([language, own]) => ({ language, share: total === 0 ? 1 / seconds.size : own / total }))
    .toSorted((a, b) => b.share - a.share)
    .map(({ language, share }) => ({ language, share: round(share, 3) }));
};

/** The codes of the languages of a transcript, the most spoken one first. With `translate`, and by earlier versions, it has one. */
export const languageCodes = ({
  language,
  languages,
}: {
  readonly language: string | null;
  readonly languages: readonly LanguageShare[];
}): string[] => {
  if (languages.length > 0) return languages.map((each) => each.language);
  return language === null ? [] : [language];
};
