const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Words without a topic of their own: function words, fillers and small talk. */
const ENGLISH =
  words(`a about above across actually after again against ago ah all almost alone along already also although always am among an and
  another any anybody anyone anything anyway are aren't around as ask asked at away back basically be became because become been before
  began behind being believe below between big both but by call called came can can't cannot certainly come comes coming could couldn't
  couple course day did didn't different do does doesn't doing don't done down during each easy either else enough er especially etc even ever
  every everybody everyone everything exactly far feel few first five for four from full further gave get gets getting give given go goes going gone
  gonna good got gotta great guess guy guys had hadn't half happen happened happy hard has hasn't have haven't having he he'd he'll he's hello help her here hers herself
  hey hi him himself his hmm hope how however i i'd i'll i'm i've if important in indeed instead into is isn't it it'll it's its itself
  just keep kind knew know known last later least left less let let's like likely little long look looking lot lots made main make makes making many
  may maybe me mean means might mine minute mm moment month more morning most much must my myself name need needs never new next nice no nobody none nope
  nor not nothing now number of off often oh ok okay old on once one ones only or other others our ours ourselves out over own part people per perhaps person
  place please point possible pretty probably put question quite rather ready real really right said same saw say saying says second see seem seems seen
  several shall she she'd she'll she's should shouldn't show side simply since six small so some somebody someone something sometimes somewhat soon sorry sort
  start started still stuff such sure take taken takes talk talking tell ten than thank thanks that that'll that's the their theirs them themselves then
  there there's these they they'd they'll they're they've thing things think third this those though thought three through thus time times to today together told
  tomorrow tonight too took tried try trying turn two uh um under until up upon us use used using usually very want wanted wants was wasn't way we
  we'd we'll we're we've week welcome well went were weren't what what's whatever when where where's whether which while who who's whole whom whose why
  will with within without won't word words work would wouldn't wow yeah year years yep yes yesterday yet you you'd you'll you're you've your yours yourself
  dot dash hyphen underscore slash zero seven eight nine eleven twelve hundred thousand million monday tuesday wednesday thursday friday saturday sunday`);
const GERMAN =
  words(`aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da dabei dafür damit danach dann das dass
  dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines einfach einig einige
  einmal er es etwas euch euer für ganz gar gegen genau gibt gut habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in
  ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen können könnte machen mal man mein meine meinem meinen meiner mehr mich mir mit muss müssen
  nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit selbst sich sie sind so soll sollte sondern über um und uns unser unsere
  unter viel vielleicht vom von vor wann war waren warum was weil weiter welche wenn wer werde werden wie wieder will wir wird wirklich wo wurde würde zu zum zur zwar zwischen äh ähm halt eben heute morgen`);
const FRENCH =
  words(`à ai ainsi alors après au aucun aussi autre aux avant avec avoir beaucoup bien bon c'est ça car ce cela celle celui ces cet cette chaque chez comme comment d'un
  d'une dans de des deux dit dont donc du elle elles en encore entre est et été être eu eux euh fait faire faut font il ils j'ai je jour jusque la là le les leur leurs lui
  ma mais me même mes moi moins mon n'est ne ni non nos notre nous on ont ou où oui par parce pas peu peut plus pour pourquoi quand que quel quelle quelque qui quoi
  qu'il qu'on s'il sa sans se sera ses si soit son sont sous sur ta te tes toi ton tous tout toute toutes très trop tu un une va vers voilà voir vos votre vous y était avait aujourd'hui`);
const SPANISH =
  words(`a al algo algún alguna ahora antes aquí así aunque bajo bien bueno cada casi como cómo con contra cual cuando de del desde después donde dos durante e el
  él ella ellas ellos en entonces entre era es esa ese eso esta está están este esto estos fue gracias ha hace hacer hacia han hasta hay he hoy la las le les lo los más me
  mi mis mismo mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero poco por porque pues puede que qué quien se sea ser si sí sin sobre
  son soy su sus también tan tanto te tener tengo tiene tienen toda todas todo todos tu tus un una uno unos usted ustedes va vamos ver vez y ya yo eh mañana`);

const BY_LANGUAGE: Record<string, ReadonlySet<string>> = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH };

/** The stop words of a language; those of all four for any other. */
export const stopWords = (language: string): ReadonlySet<string> => BY_LANGUAGE[language.slice(0, 2)] ?? ALL;

const ALL: ReadonlySet<string> = new Set([...ENGLISH, ...GERMAN, ...FRENCH, ...SPANISH]);

/** Removes plural endings, after the S stemmer (Harman 1991). */
export const stemOf = (word: string): string => {
  if (word.length > 4 && /[^ae]ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:sh|ch|ss|x|z)es$/u.test(word)) return word.slice(0, -2);
  if (word.length > 3 && /[^aeus]s$|[aeo]s$/u.test(word) && !/ss$/u.test(word)) return word.slice(0, -1);
  return word;
};
