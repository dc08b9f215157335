/**
 * Whisper's tags for sounds that are not speech: `[BLANK_AUDIO]`, `(music)`, `*applause*`, `♪`. Speech is never in
 * square brackets, but may be in round ones or between asterisks, which therefore count only around a known sound.
 */
const BRACKETED = /\[[^\]]{0,80}\]/gu;
const NOTES = /[♪♫♬♩🎵🎶]+/gu;
const ROUND = /[(（*]([^()（）*]{1,60})[)）*]/gu;

const SOUNDS =
  /\b(?:music|musik|musique|música|musica|singing|instrumental|applause|applaus|aplausos|applaudissements|clapping|cheering|laugh(?:s|ing|ter)?|lachen|rires|risas|silence|silent|pause|no audio|inaudible|unintelligible|indistinct|noise|static|beep(?:ing)?|click(?:ing)?|cough(?:s|ing)?|sigh(?:s|ing)?|sniff(?:s|ing)?|gasp(?:s|ing)?|breath(?:es|ing)?|footsteps|phone rings?|bell rings?|door (?:opens|closes|slams)|engine|wind|rain|thunder|speaking (?:in )?(?:a )?foreign language|foreign language|blank[_ ]audio|background noise|crowd)\b/iu;
const SOUNDS_UNSPACED = /音楽|拍手|笑い?声?|音乐|掌声|笑声|음악|박수|웃음/u;

const blank = (text: string): string => ' '.repeat(text.length);

/** Replaces every sound tag with as many spaces, so that positions in the text stay valid. */
export const blankOutSoundTags = (text: string): string =>
  text
    .replace(BRACKETED, blank)
    .replace(NOTES, blank)
    .replace(ROUND, (tag, inside: string) =>
      SOUNDS.test(inside) || SOUNDS_UNSPACED.test(inside) ? blank(tag) : tag,
    );

/** What the model writes for music and applause, also without brackets. */
const SOUND_NAME =
  /^\P{L}*(?:music|musik|musique|música|musica|muziek|muzyka|музыка|音楽|音乐|音樂|음악|applause|applaus|aplausos|applaudissements|拍手|掌声|박수)(?:\P{L}+(?:music|musik|musique|música|musica|muziek|muzyka|музыка|音楽|音乐|音樂|음악))*\P{L}*$/iu;

/** Whether a text is nothing but the name of a sound. */
export const isSoundName = (text: string): boolean => SOUND_NAME.test(text);
