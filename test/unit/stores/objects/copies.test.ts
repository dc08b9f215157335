import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BLOCK_SIZE, BlockChecksums } from '../../../../electron/core/stores/objects/blocks.ts';
import { DamagedObjectError, OpenCopies } from '../../../../electron/core/stores/objects/copies.ts';
import { ObjectFolder } from '../../../../electron/core/stores/objects/folder.ts';
import { createRandom, SEED } from '../../../support/random.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const OBJECT = 'ab'.repeat(16);

describe('blocks of an object, read together', () => {
  /** Two blocks and a shorter one. */
  const whole = createRandom(SEED).bytes(2 * BLOCK_SIZE + 1000);
  const checksums = new BlockChecksums();
  checksums.update(whole);
  const known = { object: OBJECT, size: whole.length, sha256: '', checksums: checksums.finish() };
  const opened: OpenCopies[] = [];

  /** A folder whose copy has one wrong byte in each block named. */
  const folderOf = (label: string, ...damaged: number[]): ObjectFolder => {
    const folder = new ObjectFolder(join(temporaryFolder(), label), label);
    const copy = Buffer.from(whole);
    for (const index of damaged) copy.writeUInt8(copy.readUInt8(index * BLOCK_SIZE) ^ 1, index * BLOCK_SIZE);
    mkdirSync(dirname(folder.pathOf(OBJECT)), { recursive: true });
    writeFileSync(folder.pathOf(OBJECT), copy);
    return folder;
  };

  const openCopies = (...folders: ObjectFolder[]): OpenCopies => {
    const copies = new OpenCopies(folders, known);
    opened.push(copies);
    return copies;
  };

  const read = async (copies: OpenCopies, index: number): Promise<Buffer> => {
    const buffer = Buffer.alloc(Math.min(2 * BLOCK_SIZE, whole.length - index * BLOCK_SIZE));
    await copies.blocks(index, buffer);
    return buffer;
  };

  afterEach(async () => {
    for (const copies of opened.splice(0)) await copies.close();
  });

  it('has the bytes of all of them, to the end of the object', async () => {
    const copies = openCopies(folderOf('only'));
    expect((await read(copies, 0)).equals(whole.subarray(0, 2 * BLOCK_SIZE))).toBe(true);
    expect((await read(copies, 1)).equals(whole.subarray(BLOCK_SIZE))).toBe(true);
    expect((await read(copies, 2)).equals(whole.subarray(2 * BLOCK_SIZE))).toBe(true);
    expect(copies.bad.size).toBe(0);
  });

  it('takes each block from a copy that has it intact', async () => {
    const [first, second] = [folderOf('first', 1), folderOf('second', 0, 2)];
    const copies = openCopies(first, second);
    expect((await read(copies, 0)).equals(whole.subarray(0, 2 * BLOCK_SIZE))).toBe(true);
    expect([...copies.bad]).toEqual([first]);
    expect((await read(copies, 1)).equals(whole.subarray(BLOCK_SIZE))).toBe(true);
    expect([...copies.bad]).toEqual([first]);
  });

  it('takes all from another copy where one is missing', async () => {
    const missing = new ObjectFolder(join(temporaryFolder(), 'missing'), 'missing');
    const copies = openCopies(missing, folderOf('second'));
    expect((await read(copies, 1)).equals(whole.subarray(BLOCK_SIZE))).toBe(true);
    expect([...copies.bad]).toEqual([missing]);
  });

  it('refuses a block that is intact in no copy, wherever it lies among those read', async () => {
    const copies = openCopies(folderOf('first', 1), folderOf('second', 1));
    await expect(read(copies, 0)).rejects.toThrow(DamagedObjectError);
    await expect(read(copies, 1)).rejects.toThrow(DamagedObjectError);
    expect((await read(copies, 2)).equals(whole.subarray(2 * BLOCK_SIZE))).toBe(true);
  });
});
