import { describe, expect, it } from 'vitest';
import { allowedAddresses, isPublicAddress } from '../../../../electron/core/engines/net/address-guard.ts';
import { parseWebUrl } from '../../../../electron/core/engines/net/http-client.ts';
import type { Resolve } from '../../../../electron/core/engines/net/types.ts';

const answering =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'])(
    'lets %s through',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:808:808::',
    '2001::1',
    '2001:db8::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '100::1',
    'not an address',
    '',
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('allowedAddresses', () => {
  it('keeps only the public addresses of a host that has both', async () => {
    const allowed = await allowedAddresses(
      'mixed.example',
      false,
      answering('10.0.0.1', '8.8.8.8', 'fd00::1'),
    );
    expect(allowed).toEqual([{ address: '8.8.8.8', family: 4 }]);
  });

  it('rejects a host with only private addresses, and explains how to allow it', async () => {
    await expect(allowedAddresses('intranet.example', false, answering('10.0.0.1'))).rejects.toMatchObject({
      code: 'address_not_allowed',
      message: expect.stringMatching(/network\.allowPrivateAddresses.*--allow-private-addresses/),
    });
  });

  it('returns private addresses if they are allowed', async () => {
    expect(await allowedAddresses('127.0.0.1', true, answering())).toEqual([
      { address: '127.0.0.1', family: 4 },
    ]);
  });

  it('reports that a host was not found', async () => {
    const resolve: Resolve = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.invalid'), { code: 'ENOTFOUND' });
    };
    await expect(allowedAddresses('nowhere.invalid', false, resolve)).rejects.toMatchObject({
      code: 'download_failed',
      message: 'The host nowhere.invalid was not found (ENOTFOUND).',
    });
  });

  it.each([
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://example.com@127.0.0.1/',
    'http://user:secret@169.254.169.254/latest/meta-data',
    'http://１２７.0.0.1/',
    'http://①②⑦.0.0.1/',
  ])('refuses the odd spelling %s', async (text) => {
    const host = parseWebUrl(text).hostname.replace(/^\[|\]$/g, '');
    await expect(allowedAddresses(host, false, answering())).rejects.toMatchObject({
      code: 'address_not_allowed',
    });
  });
});

describe('parseWebUrl', () => {
  it.each(['file:///etc/passwd', 'ftp://example.com/a', 'data:audio/wav;base64,AA', 'gopher://x/', 'no url'])(
    'refuses %s',
    (text) => {
      expect(() => parseWebUrl(text)).toThrow(expect.objectContaining({ code: 'download_failed' }));
    },
  );
});
