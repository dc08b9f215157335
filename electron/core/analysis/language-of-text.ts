/**
 * The language in which a text is written, by its letters (Efficient Language Detector, 60 languages), and how sure that is
 * from 0 to 1. Undefined for a text that is too short to tell.
 */
export const languageOfText = async (
  text: string,
): Promise<{ readonly language: string; readonly confidence: number } | undefined> => {
  // Loaded at its first use: its table has 1.6 MB.
  const { eld } = await import('eld/small');
  const result = eld.detect(text);
  if (result.language === '' || !result.isReliable()) return undefined;
  return { language: result.language, confidence: Math.min(1, result.getScores()[result.language] ?? 0) };
};
