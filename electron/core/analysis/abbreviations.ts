import lexicon from '../../../resources/lexicons/abbreviations.json' with { type: 'json' };

/** Abbreviations that precede what they belong to: their full stop never ends a sentence. */
export const LEADING_ABBREVIATIONS = new Set(lexicon.leading);

/** Abbreviations that may end a sentence: they do if the next word looks like a start. */
export const CLOSING_ABBREVIATIONS = new Set(lexicon.closing);

/** Words that, capitalized after an abbreviation, most likely start a sentence. */
export const SENTENCE_STARTERS = new Set(lexicon.sentenceStarters);

/** German words after which "3." is an ordinal: "am 3. Mai". */
export const ORDINAL_LEADS = new Set(lexicon.ordinalLeads);
