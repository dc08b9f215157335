type Redact = (text: string) => Promise<string>;

/** The time in the keys of stored files, which detectors would take for a number. */
const STAMP = /_\d{8}T\d{9}Z(?=\.|$)/;

/** `storage:/{user}/` and the rest of the key. */
const STORED = /^(storage:\/?[^/]*\/)(.*)$/s;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const redactPart = async (part: string, redact: Redact): Promise<string> => {
  const stamp = STAMP.exec(part)?.[0] ?? '';
  const name = part.replace(stamp, '');
  const redacted = await redact(name);
  return redacted === name ? part : redacted;
};

/** Redacts the parts of a path; `lastPart` replaces the last one unless it is null. */
const redactPath = async (
  parts: readonly string[],
  lastPart: string | null,
  redact: Redact,
): Promise<string[]> => {
  const redacted: string[] = [];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (part === '') redacted.push(part);
    else redacted.push(isLast && lastPart !== null ? lastPart : await redactPart(part, redact));
  }
  return redacted;
};

const redactUrl = async (url: URL, lastPart: string | null, redact: Redact): Promise<void> => {
  const parts = url.pathname.split('/').map(decoded);
  const path = await redactPath(parts, lastPart, redact);
  if (path.some((part, index) => part !== parts[index]))
    url.pathname = path.map(encodeURIComponent).join('/');
  for (const [key, value] of [...url.searchParams]) {
    const redacted = await redact(value);
    if (redacted !== value) url.searchParams.set(key, redacted);
  }
  if ((await redact(decoded(url.hash))) !== decoded(url.hash)) url.hash = '';
};

/**
 * The address of a recording with its path and query redacted; unchanged where they hold nothing private. `lastPart` is
 * the redacted file name, null if that stays: a stored file's key spells it differently.
 */
export const redactAddress = async (
  address: string,
  lastPart: string | null,
  redact: Redact,
): Promise<string> => {
  const [, owner, path] = STORED.exec(address) ?? [];
  if (owner !== undefined && path !== undefined) {
    return owner + (await redactPath(path.split('/'), lastPart, redact)).join('/');
  }
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const before = url.href;
  await redactUrl(url, lastPart, redact);
  return url.href === before ? address : url.href;
};
