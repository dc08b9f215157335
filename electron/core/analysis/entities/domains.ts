/** Top-level domains that occur in speech. Not the whole registry: "end.so" is more often a missing space than a host. */
export const TOP_LEVEL = new Set(
  `com org net edu gov mil int io co uk de fr es it nl be ch at eu us ca au nz ie in jp cn br mx ar cl pt pl se no dk fi
   cz ru ua tr za info biz app dev ai tv xyz online shop store tech cloud blog news page site ly gg fm museum name pro
   local internal test example cat`
    .split(/\s+/)
    .filter(Boolean),
);

/** Top-level domains that are also English words: in spoken addresses they need two labels before them. */
export const WORD_LIKE = new Set(
  'in it is no at be me us so to my name news page site store shop test local blog online pro cat info'.split(
    ' ',
  ),
);

/** Words around an address that are never the name of a host or mailbox. */
export const NEVER_LABEL = new Set(
  `the a an my your his her our their its this that these those is are was were be am it he she they we you i and or but so
   at to of in on for from with by as if then than go goes went visit check see use used using find found open called
   under via into about email e-mail mail address website site page url link domain server look up out over me us him
   them available online here there just also please uh um like well okay yes no not contact write send reach write
   log sign shop buy order download read watch get it's that's what's who where when can will would should could`
    .split(/\s+/)
    .filter(Boolean),
);

/** Of these, words that may name a host: "mail dot example dot org". */
export const HOST_WORDS = new Set(
  'mail email shop online contact link order download site page get buy go'.split(' '),
);

/** Mailboxes named after a role: they need no cue before "at". */
export const ROLES = new Set(
  'support info sales hello help admin office billing jobs careers hr team press noreply service accounts marketing'.split(
    ' ',
  ),
);

/** Mail hosts: what precedes "at" is a mailbox. */
export const MAIL_HOSTS = new Set(
  'gmail googlemail outlook hotmail yahoo icloud proton protonmail gmx web aol live msn mail fastmail zoho t-online'.split(
    ' ',
  ),
);
