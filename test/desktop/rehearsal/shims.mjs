// What an older Electron lacks of the one that the program is made for. Each line is "missing in this Electron", none is a
// change of the program. EARSHOT_SHIM_LOG names a file that says which were needed.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const log = process.env.EARSHOT_SHIM_LOG;
const needed = (name) => log && appendFileSync(log, `${name}\n`);
/** Adds a member if there is none. */
const add = (target, owner, name, value) => {
  if (target === undefined || name in target) return;
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  needed(`${owner}.${String(name)}`);
};

/** A worker's process has no `safeStorage`, and a thread no Electron at all. */
const electron = process.versions.electron && isMainThread ? createRequire(import.meta.url)('electron') : {};
const { safeStorage } = electron;
if (safeStorage !== undefined) {
  add(safeStorage, 'safeStorage', 'isAsyncEncryptionAvailable', async () =>
    safeStorage.isEncryptionAvailable(),
  );
  add(safeStorage, 'safeStorage', 'encryptStringAsync', async (text) => safeStorage.encryptString(text));
  add(safeStorage, 'safeStorage', 'decryptStringAsync', async (bytes) => ({
    result: safeStorage.decryptString(bytes),
  }));
}

// V8 13.0 has Float16Array behind a flag. The engine's process converts with one: by index, by iteration and by its buffer.
const toBits = (value) => {
  const sign = Object.is(Math.sign(value), -0) || value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const even = (x) => {
    const floor = Math.floor(x);
    const rest = x - floor;
    return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
  };
  if (size < 2 ** -14) return sign | even(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  const exact = size / 2 ** exponent < 1 ? exponent - 1 : size / 2 ** exponent >= 2 ? exponent + 1 : exponent;
  return sign | (((exact + 15) << 10) + even((size / 2 ** exact - 1) * 1024));
};
const fromBits = (bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};
class Halves {
  constructor(source) {
    const bits = typeof source === 'number' ? new Uint16Array(source) : new Uint16Array(source);
    // biome-ignore lint/correctness/noConstructorReturn: an indexed object needs a proxy.
    return new Proxy(this, {
      get: (_target, key) => {
        if (key === 'buffer') return bits.buffer;
        if (key === 'length') return bits.length;
        if (key === Symbol.iterator) return () => Array.from(bits, fromBits)[Symbol.iterator]();
        return typeof key === 'string' && /^\d+$/.test(key) ? fromBits(bits[Number(key)]) : undefined;
      },
      set: (_target, key, value) => {
        bits[Number(key)] = toBits(value);
        return true;
      },
    });
  }
}
add(globalThis, 'global', 'Float16Array', Halves);

// undici 8 takes these when it is loaded; Node 20 has neither. Nothing in the rehearsal sends Zstandard.
const missing = (name) => () => {
  throw new Error(`${name} is not in this Electron.`);
};
add(
  process.getBuiltinModule('node:zlib'),
  'node:zlib',
  'createZstdDecompress',
  missing('createZstdDecompress'),
);
add(
  process.getBuiltinModule('node:worker_threads'),
  'node:worker_threads',
  'markAsUncloneable',
  () => undefined,
);
// Node 22.15: the certificates that downloads are checked with.
const tls = process.getBuiltinModule('node:tls');
add(tls, 'node:tls', 'getCACertificates', () => [...tls.rootCertificates]);
