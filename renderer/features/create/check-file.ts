import { useEffect, useState } from 'react';
import type { MessageKey } from '../../i18n/index.ts';
import type { Source } from '../../stores/dialogs.ts';

const HEAD_BYTES = 4096;
/** Types of files that hold no audio, as the browser derives them from the name. */
const OTHER_TYPES = /^(?:image|font)\/|^application\/(?:pdf|zip|json|msword|rtf|vnd\.(?:openxml|oasis|ms-))/;

/** How files begin that hold no audio, under whatever name: https://en.wikipedia.org/wiki/List_of_file_signatures */
const OTHER_SIGNATURES: readonly string[] = [
  '%PDF-',
  'PK\x03\x04',
  'Rar!',
  '7z\xbc\xaf',
  '\x1f\x8b',
  '\x89PNG',
  '\xff\xd8\xff',
  'GIF8',
  'MZ',
  '\x7fELF',
  'SQLite format 3',
  '\xd0\xcf\x11\xe0',
];

const startsWith = (head: Uint8Array, signature: string): boolean =>
  [...signature].every((character, index) => head[index] === character.charCodeAt(0));

/** Whether the bytes are UTF-8 text: without control characters, which every format of recordings has. */
const isText = (bytes: Uint8Array): boolean => {
  if (bytes.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)) return false;
  try {
    // `stream`: the last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
};

/** Why a file cannot be a recording; undefined if it may be one, which the service decides from all of its content. */
const findProblem = async (file: File): Promise<MessageKey | undefined> => {
  if (file.size === 0) return 'create.problem.empty';
  if (OTHER_TYPES.test(file.type)) return 'create.problem.notMedia';
  try {
    const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    const isOther = isText(head) || OTHER_SIGNATURES.some((signature) => startsWith(head, signature));
    return isOther ? 'create.problem.notMedia' : undefined;
  } catch (error) {
    // Removed or changed since it was chosen.
    console.info('The file could not be read.', error instanceof Error ? error.name : '');
    return 'create.problem.unreadable';
  }
};

/** Checks files before their upload: for each checked source its problem, or undefined for none. */
export const useFileProblems = (sources: readonly Source[]): ReadonlyMap<Source, MessageKey | undefined> => {
  const [problems, setProblems] = useState<ReadonlyMap<Source, MessageKey | undefined>>(new Map());
  useEffect(() => {
    let isCurrent = true;
    const checks = sources.map(
      async (source) =>
        [source, source.kind === 'file' ? await findProblem(source.file) : undefined] as const,
    );
    void Promise.all(checks).then((found) => isCurrent && setProblems(new Map(found)));
    return () => {
      isCurrent = false;
    };
  }, [sources]);
  return problems;
};
