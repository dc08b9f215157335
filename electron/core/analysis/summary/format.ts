import type { Summary, SummaryType } from '../../../contract/analysis.ts';

export type Bullet = NonNullable<Summary['bullets']>[number];

const HEADINGS: Record<string, string> = {
  en: 'Summary',
  de: 'Zusammenfassung',
  fr: 'Résumé',
  es: 'Resumen',
  it: 'Riepilogo',
  pt: 'Resumo',
  nl: 'Samenvatting',
};
const PARAGRAPH_GAP_S = 90;
const PARAGRAPH_SENTENCES = 4;

/** The summary's text: "• " lines, paragraphs, or a Markdown heading with a list. */
export const formatSummary = (bullets: readonly Bullet[], type: SummaryType, language: string): string => {
  if (bullets.length === 0) return '';
  if (type === 'bullets') return bullets.map((bullet) => `• ${bullet.text}`).join('\n');
  if (type === 'paragraphs') return paragraphs(bullets);
  const heading = HEADINGS[language.slice(0, 2)] ?? 'Summary';
  return `## ${heading}\n\n${bullets.map((bullet) => `- ${escapeMarkdown(bullet.text)}`).join('\n')}`;
};

const paragraphs = (bullets: readonly Bullet[]): string => {
  const parts: string[][] = [];
  for (const [index, bullet] of bullets.entries()) {
    const current = parts.at(-1);
    const gap = bullet.source.start - (bullets[index - 1]?.source.end ?? 0);
    if (current && current.length < PARAGRAPH_SENTENCES && (gap < PARAGRAPH_GAP_S || current.length < 2))
      current.push(bullet.text);
    else parts.push([bullet.text]);
  }
  return parts.map((part) => part.join(' ')).join('\n\n');
};

/** Escapes Markdown, including the brackets and underscores of redaction tokens and the asterisks of masks. */
const escapeMarkdown = (text: string): string => text.replace(/([\\`*_<>[\]#])/gu, '\\$1');
