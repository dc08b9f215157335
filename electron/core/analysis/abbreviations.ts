/** Abbreviations that precede what they belong to: their full stop never ends a sentence. */
export const LEADING_ABBREVIATIONS = new Set(
  `dr mr mrs ms mx prof sen rep gov gen col capt lt sgt cpl cmdr adm maj pres rev fr hon supt mt ft vs v no nos
   fig figs eq vol ch sec pp ed eds dept est approx ca cf viz al e.g eg i.e ie esp resp incl excl
   hr fr frl dipl ing mag bzw z.b zb d.h dh u.a ua o.ä evtl ggf usw.z vgl nr str abs art inkl zzgl sog ung
   m mm mme mmes mlle mlles me p.ex ex c.-à-d env av bd chap réf tél
   sr sra srta srs d dña ud uds p.ej ej avda núm pág dto`
    .split(/\s+/)
    .filter(Boolean),
);

/** Abbreviations that may end a sentence: they do if the next word looks like a start. */
export const CLOSING_ABBREVIATIONS = new Set(
  `etc usw u.s u.k u.s.a u.n e.u d.c l.a n.y a.m p.m am pm inc ltd co corp jr plc llc bros ph.d phd m.d b.a m.a b.c a.d
   jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun ave blvd rd apt st
   min mins sek std usf bspw a.m.d s.a s.l ee.uu`
    .split(/\s+/)
    .filter(Boolean),
);

/** Words that, capitalized after an abbreviation, most likely start a sentence. */
export const SENTENCE_STARTERS = new Set(
  `i we you he she it they the a an this that these those there here my our your his her its their what when where who
   why how which and but so or if in on at for from with as after before because since while although however then now
   yes no okay ok well please thanks thank let let's it's i'm we're they're he's she's that's there's don't do does did
   is are was were can could will would should may also just maybe actually
   ich wir du er sie es ihr der die das ein eine und aber oder wenn dann dies diese was wann wo wer wie warum in auf an
   für von mit nach ja nein also doch
   je nous tu vous il elle ils elles on le la les un une des et mais ou si ce cette ces que quand où qui comment
   pourquoi dans sur à pour de avec après oui non alors
   yo nosotros tú usted él ella ellos ellas el los las una unos y pero o cuando donde quien como por para con después sí
   entonces este esta`
    .split(/\s+/)
    .filter(Boolean),
);

/** German words after which "3." is an ordinal: "am 3. Mai". */
export const ORDINAL_LEADS = new Set('am der dem den vom zum im des die das bis ab seit'.split(' '));
