/**
 * Costs of line and cue breaks between words: 0 after a sentence, 100 inside a phrase. Follows the "line
 * treatment" sections of the Netflix and BBC subtitle guidelines: break after punctuation, before conjunctions and
 * prepositions, never after an article, a preposition or a title.
 */
import { UNSPACED } from './text.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** Never last on a line: articles, determiners, prepositions, conjunctions, possessives, auxiliaries. */
const LEADING = words(`
  a an the this that these those my your his her its our their no every each some any
  of in on at to from by for with into onto over under about between through during without within
  and or but nor so because if when while although than as whether i'm i am is are was were be been
  will would can could shall should may might must have has had do does did not very
  der die das den dem des ein eine einen einem einer eines mein dein sein ihr unser kein keine
  und oder aber denn weil dass wenn als ob mit von zu zum zur im am in an auf aus bei nach für über unter vor
  el la los las un una unos unas mi tu su nuestro y e o u pero porque que si cuando de del al con por para
  sin sobre entre hasta desde le les des du au aux ce cette ces mon ton son notre votre leur
  et ou mais donc car ni lorsque quand dans par pour avec sans sous chez ne se
  il lo gli uno dello della dei delle nel nella ed ma perché con per tra fra non
  os as um uma do da dos das em no na nos nas com por sem ao à
  de het een en of maar want omdat als dat voor met van op aan uit bij naar om te`);

/** Good first words of a line: conjunctions and relative pronouns. */
const OPENING = words(`
  and or but nor so because if when while although though that which who whom whose where whether until unless since
  und oder aber denn sondern weil dass wenn als ob damit obwohl der die das welche
  y o pero porque que si cuando donde aunque mientras quien sino
  et ou mais donc car que qui lorsque quand si où parce puisque tandis
  e ed o ma perché che se quando dove mentre
  mas porém porque quando se onde embora enquanto
  en of maar want omdat als dat terwijl hoewel`);

/** Second-best first words of a line: prepositions. */
const PREPOSITION = words(`
  of in on at to from by for with into onto over under about between through during without within
  mit von zu zum zur im am in an auf aus bei nach für über unter vor
  de del al con por para sin sobre entre hasta desde dans par pour avec sans sous chez à
  di da nel nella per tra fra em com sem voor met van op aan uit bij naar`);

const ABBREVIATION =
  /^(?:mr|mrs|ms|dr|prof|st|sr|jr|no|nr|vs|etc|e\.g|i\.e|z\.b|d\.h|bzw|ca|approx|sra|dra|ud|m|mme|mlle|sig|hr|fr|p|\p{L})\.$/iu;
const CLOSERS = `["'”’»›)\\]」』】〉》）］]*`;
const SENTENCE_END = new RegExp(`[.!?…。！？｡．؟۔।॥։]${CLOSERS}$`, 'u');
const STRONG_CLAUSE = new RegExp(`[;:；：—–―؛]${CLOSERS}$`, 'u');
const CLAUSE = new RegExp(`[,，、､،)\\]」』）]${CLOSERS}$`, 'u');
const NUMBER = /^[\p{Sc}+-]?\d[\d.,:]*$/u;

const bare = (word: string): string => word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}']+$/gu, '');

/** Whether a word ends a sentence; "Dr." and single initials do not. */
export const endsSentence = (word: string): boolean => SENTENCE_END.test(word) && !ABBREVIATION.test(word);

/** Whether a word ends a clause or a sentence. */
export const endsClause = (word: string): boolean =>
  endsSentence(word) || STRONG_CLAUSE.test(word) || CLAUSE.test(word);

/** The cost of a break after `left` and before `right`, 0 to 100; `pause` is the silence between, in seconds. */
export const breakCost = (left: string, right: string, pause: number): number => {
  if (endsSentence(left)) return 0;
  const relief = pause >= 0.4 ? 0.4 : 1;
  if (STRONG_CLAUSE.test(left)) return 8 * relief;
  if (CLAUSE.test(left)) return 15 * relief;
  const before = bare(left);
  if (ABBREVIATION.test(left) || LEADING.has(before) || NUMBER.test(left)) return 100 * relief;
  const after = bare(right);
  if (OPENING.has(after)) return 35 * relief;
  if (PREPOSITION.has(after)) return 45 * relief;
  // In Japanese a particle, one or two kana long, closes its phrase.
  if (/^\p{sc=Hira}{1,2}$/u.test(left)) return 40 * relief;
  if (UNSPACED.test(left)) return 60 * relief;
  return 70 * relief;
};
