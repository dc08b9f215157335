import { crc32, inflateRawSync } from 'node:zlib';

/** The files of a ZIP archive by name, from its central directory (APPNOTE 4.3.12). */
export const unzip = (archive: Uint8Array): Map<string, Buffer> => {
  const bytes = Buffer.from(archive);
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('not a ZIP archive');
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new Error('a broken central directory');
    const method = bytes.readUInt16LE(at + 10);
    const size = bytes.readUInt32LE(at + 20);
    const nameLength = bytes.readUInt16LE(at + 28);
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(data, data + size);
    files.set(name, method === 0 ? packed : inflateRawSync(packed));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
};

const header = (
  signature: number,
  name: Buffer,
  data: Buffer,
  extra: (view: Buffer) => void,
  length: number,
): Buffer => {
  const view = Buffer.alloc(length);
  view.writeUInt32LE(signature, 0);
  extra(view);
  return Buffer.concat([view, name, data]);
};

/** A ZIP archive of stored (not compressed) entries. */
export const zip = (entries: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> => {
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, content] of Object.entries(entries)) {
    const [name, data] = [Buffer.from(path), Buffer.from(content)];
    const local = header(
      0x04034b50,
      name,
      data,
      (view) => {
        view.writeUInt16LE(20, 4);
        view.writeUInt32LE(crc32(data), 14);
        view.writeUInt32LE(data.length, 18);
        view.writeUInt32LE(data.length, 22);
        view.writeUInt16LE(name.length, 26);
      },
      30,
    );
    const at = offset;
    const central = header(
      0x02014b50,
      name,
      Buffer.alloc(0),
      (view) => {
        view.writeUInt16LE(20, 4);
        view.writeUInt16LE(20, 6);
        view.writeUInt32LE(crc32(data), 16);
        view.writeUInt32LE(data.length, 20);
        view.writeUInt32LE(data.length, 24);
        view.writeUInt16LE(name.length, 28);
        view.writeUInt32LE(at, 42);
      },
      46,
    );
    locals.push(local);
    centrals.push(central);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(centrals.length, 8);
  end.writeUInt16LE(centrals.length, 10);
  end.writeUInt32LE(Buffer.concat(centrals).length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...locals, ...centrals, end]));
};
