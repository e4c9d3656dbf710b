import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { createPublicLookup, isPrivateAddress, type Lookup, requirePublicHost } from './private-addresses.ts'

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:c0a8:0101',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '2002:7f00:1::1',
  '2001::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  'not an address',
  '',
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each([
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.167.1.1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2606:4700::1111',
  '2a00:1450:4001::1',
])('%s is public', (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
])('the address in %s is rejected before a connection is opened', (url) => {
  expect(() => requirePublicHost(new URL(url).hostname)).toThrow('must have a public address')
})

test('a name is not checked before it is resolved', () => {
  expect(() => requirePublicHost('localhost')).not.toThrow()
})

describe('the lookup of a connection', () => {
  const resolve = (found: readonly string[], all: boolean) => {
    const lookup: Lookup = (_, __, callback) =>
      callback(
        null,
        found.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    return new Promise<unknown>((resolve, reject) =>
      createPublicLookup(lookup)('example.com', { all }, (error, address, family) =>
        error === null ? resolve(all ? address : [address, family]) : reject(error),
      ),
    )
  }

  test('returns only the public addresses of a name', async () => {
    const found = ['10.0.0.1', '1.1.1.1', '::1', '2606:4700::1111']
    expect(await resolve(found, true)).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
    expect(await resolve(found, false)).toEqual(['1.1.1.1', 4])
  })

  test('fails for a name with private addresses only', async () => {
    await expect(resolve(['127.0.0.1', '::1'], true)).rejects.toThrow(
      'example.com must have a public address, unless allowPrivateAddresses is set',
    )
    await expect(resolve(['::ffff:127.0.0.1'], false)).rejects.toThrow('public address')
  })
})
