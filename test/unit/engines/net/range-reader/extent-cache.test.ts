import { describe, expect, it } from 'vitest';
import { ExtentCache } from '../../../../../electron/core/engines/net/range-reader/range-reader.ts';

describe('the cache of parts of a file', () => {
  const text = (bytes: Buffer | undefined): string | undefined => bytes?.toString();

  it('has the bytes from a position to the end of their part', () => {
    const cache = new ExtentCache(100);
    cache.add(10, Buffer.from('abcde'));
    cache.add(15, Buffer.from('fg'));
    expect(text(cache.from(9))).toBeUndefined();
    expect(text(cache.from(10))).toBe('abcde');
    expect(text(cache.from(14))).toBe('e');
    expect(text(cache.from(15))).toBe('fg');
    expect(text(cache.from(17))).toBeUndefined();
  });

  it('knows where the next part starts', () => {
    const cache = new ExtentCache(100);
    expect(cache.nextAfter(0)).toBe(Number.POSITIVE_INFINITY);
    cache.add(40, Buffer.from('a'));
    cache.add(20, Buffer.from('b'));
    expect(cache.nextAfter(0)).toBe(20);
    expect(cache.nextAfter(20)).toBe(40);
    expect(cache.nextAfter(40)).toBe(Number.POSITIVE_INFINITY);
  });

  it('drops the parts that were not read for longest', () => {
    const cache = new ExtentCache(6);
    cache.add(0, Buffer.from('ab'));
    cache.add(10, Buffer.from('cd'));
    cache.add(20, Buffer.from('ef'));
    cache.from(0);
    cache.add(30, Buffer.from('gh'));
    expect(text(cache.from(10))).toBeUndefined();
    expect(text(cache.from(0))).toBe('ab');
    cache.clear();
    expect(text(cache.from(0))).toBeUndefined();
    cache.add(40, Buffer.from('123456'));
    expect(text(cache.from(40))).toBe('123456');
  });
});
