/**
 * A WebVTT parser after https://www.w3.org/TR/webvtt1/ section 6. Stricter than the specification's: throws on anything
 * that an author must not write.
 */
export type VttCue = {
  id: string;
  startMs: number;
  endMs: number;
  voice: string | null;
  /** Of the language span that the whole cue is in. */
  language: string | null;
  text: string;
};

const TIMESTAMP = /^(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/;

const timestamp = (text: string): number => {
  const match = TIMESTAMP.exec(text);
  if (match === null) throw new Error(`not a timestamp: ${text}`);
  const [, hours = '0', minutes, seconds, ms] = match;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms);
};

const REFERENCES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  lrm: '\u200e',
  rlm: '\u200f',
  nbsp: '\u00a0',
};

const decodeText = (text: string): string => {
  if (text.includes('<') || text.includes('>')) throw new Error(`unescaped markup in ${text}`);
  return text.replace(/&([a-z]*);?/g, (whole, name: string) => {
    const character = REFERENCES[name];
    if (character === undefined || !whole.endsWith(';'))
      throw new Error(`not a character reference: ${whole}`);
    return character;
  });
};

/** The text of a payload, and the annotations of the voice span that it begins with and of the language span around the text. */
const payload = (text: string): Pick<VttCue, 'voice' | 'language' | 'text'> => {
  const voice = /^<v(?:\.[^\s.>]+)*[ \t]([^>\n]+)>/.exec(text);
  const rest = voice === null ? text : text.slice(voice[0].length);
  const span = /^<lang[ \t]+([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*)>([^<]*)<\/lang>$/.exec(rest);
  return {
    voice: voice?.[1] === undefined ? null : decodeText(voice[1].trim()),
    language: span?.[1] ?? null,
    text: decodeText(span?.[2] ?? rest),
  };
};

const cueOf = (block: string): VttCue => {
  const lines = block.split('\n');
  const id = lines[0]?.includes('-->') ? '' : (lines.shift() ?? '');
  const timing = lines.shift() ?? '';
  const match = /^(\S+)[ \t]+-->[ \t]+(\S+)$/.exec(timing);
  if (match === null) throw new Error(`not a timing line: ${timing}`);
  if (lines.length === 0) throw new Error(`a cue without text: ${block}`);
  if (lines.some((line) => line.includes('-->'))) throw new Error(`an arrow in the text: ${block}`);
  return {
    id,
    startMs: timestamp(match[1] ?? ''),
    endMs: timestamp(match[2] ?? ''),
    ...payload(lines.join('\n')),
  };
};

export const parseWebVtt = (file: string): { header: string; cues: VttCue[] } => {
  if (file.includes('\0')) throw new Error('NUL');
  if (!file.isWellFormed()) throw new Error('half of a surrogate pair');
  const text = file.replace(/\r\n?/g, '\n').replace(/^\ufeff/, '');
  const [head = '', ...blocks] = text.replace(/\n+$/, '').split(/\n{2,}/);
  if (!/^WEBVTT(?:[ \t][^\n]*)?$/.test(head) || head.includes('-->'))
    throw new Error(`not a header: ${head}`);
  let latest = 0;
  const cues = blocks.filter((block) => !/^NOTE(?:\s|$)/.test(block)).map(cueOf);
  for (const cue of cues) {
    if (cue.endMs <= cue.startMs) throw new Error('a cue ends before it starts');
    if (cue.startMs < latest) throw new Error('cues are not in order of their start');
    latest = cue.startMs;
  }
  return { header: head.slice('WEBVTT'.length).trim(), cues };
};
