import lexicon from '../../../../resources/lexicons/domains.json' with { type: 'json' };

/** Top-level domains that occur in speech. Not the whole registry: "end.so" is more often a missing space than a host. */
export const TOP_LEVEL = new Set(lexicon.topLevel);

/** Top-level domains that are also English words: in spoken addresses they need two labels before them. */
export const WORD_LIKE = new Set(lexicon.wordLike);

/** Words around an address that are never the name of a host or mailbox. */
export const NEVER_LABEL = new Set(lexicon.neverLabel);

/** Of these, words that may name a host: "mail dot example dot org". */
export const HOST_WORDS = new Set(lexicon.hostWords);

/** Mailboxes named after a role: they need no cue before "at". */
export const ROLES = new Set(lexicon.roles);

/** Mail hosts: what precedes "at" is a mailbox. */
export const MAIL_HOSTS = new Set(lexicon.mailHosts);
