/** Selects the proxy for a target from environment variables. */
import { expect, test } from 'vitest'
import { chooseProxy, proxyFromEnvironment } from './environment.ts'

const P = 'http://proxy.example:3128'
const via = (source: string, url: string = P) => ({ type: 'proxy', address: { url, source } })

test.each<[object, string, object]>([
  [{}, 'https://api.example.com', { type: 'unset' }],
  [{ HTTPS_PROXY: P }, 'https://api.example.com', via('HTTPS_PROXY')],
  [{ https_proxy: P }, 'https://api.example.com', via('https_proxy')],
  [{ https_proxy: P, HTTPS_PROXY: 'http://other' }, 'https://api.example.com', via('https_proxy')],
  [{ https_proxy: '', HTTPS_PROXY: P }, 'https://api.example.com', via('HTTPS_PROXY')],
  [{ HTTPS_PROXY: ` ${P}\n` }, 'https://api.example.com', via('HTTPS_PROXY')],
  [{ HTTPS_PROXY: 'proxy.example:3128' }, 'https://a.example', via('HTTPS_PROXY', 'proxy.example:3128')],
  [{ HTTPS_PROXY: P }, 'http://api.example.com', { type: 'unset' }],
  [{ HTTP_PROXY: P }, 'https://api.example.com', { type: 'unset' }],
  [{ HTTP_PROXY: P }, 'http://api.example.com', via('HTTP_PROXY')],
  [{ HTTPS_PROXY: P }, 'mqtts://data.example.com:1883', via('HTTPS_PROXY')],
  [{ HTTPS_PROXY: P }, 'wss://data.example.com:8883', via('HTTPS_PROXY')],
  [{ HTTP_PROXY: P }, 'mqtt://data.example.com:1883', via('HTTP_PROXY')],
  [{ HTTP_PROXY: P }, 'ws://data.example.com:1883', via('HTTP_PROXY')],
  [{ ALL_PROXY: P }, 'https://api.example.com', via('ALL_PROXY')],
  [{ all_proxy: P, HTTPS_PROXY: 'http://other' }, 'https://a.example', via('HTTPS_PROXY', 'http://other')],
  [{ HTTPS_PROXY: P }, 'https://localhost:8443', { type: 'loopback' }],
  [{ HTTPS_PROXY: P }, 'https://127.0.0.2', { type: 'loopback' }],
  [{ HTTPS_PROXY: P }, 'https://[::1]:8443', { type: 'loopback' }],
  [{ HTTPS_PROXY: P }, 'https://127.0.0.1.example', via('HTTPS_PROXY')],
  [{ HTTPS_PROXY: P, NO_PROXY: 'a.example' }, 'https://a.example', { type: 'excluded', source: 'NO_PROXY' }],
  [{ HTTPS_PROXY: P, no_proxy: '*' }, 'https://a.example', { type: 'excluded', source: 'no_proxy' }],
  [
    { HTTPS_PROXY: P, NO_PROXY: 'data.example:1883' },
    'mqtts://DATA.example:1883',
    {
      type: 'excluded',
      source: 'NO_PROXY',
    },
  ],
  [
    { HTTPS_PROXY: P, NO_PROXY: 'a.example:443' },
    'https://a.example',
    { type: 'excluded', source: 'NO_PROXY' },
  ],
])('%j for %s', (env, url, choice) => {
  expect(chooseProxy(env as Record<string, string>, url)).toEqual(choice)
  const address = 'address' in choice ? choice.address : undefined
  expect(proxyFromEnvironment(env as Record<string, string>)?.(url)).toEqual(address)
})

test.each([
  ['socks5://secret-host:1080', 'an address with the scheme socks5:'],
  ['http://me:secret@', 'another string'],
  ['http://me:%zz-secret@host:1', 'another string'],
  ['http://host:1/secret', 'another string'],
  ['http://host:99999/', 'another string'],
])('%s is refused, without being shown', (value, received) => {
  const expected = 'the address of an HTTP proxy, http://host:port or https://host:port'
  for (const name of ['HTTPS_PROXY', 'http_proxy', 'ALL_PROXY']) {
    expect(() => proxyFromEnvironment({ [name]: value })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: `${name} must be ${expected}; received ${received}`,
        details: { option: name, expected, received },
      }),
    )
  }
})

test('proxyFromEnvironment() returns undefined if no variable names a proxy', () => {
  expect(proxyFromEnvironment({ NO_PROXY: '*', no_proxy: 'a', HTTPS_PROXY: ' ' })).toBeUndefined()
})

test('variables are read once', () => {
  const env: Record<string, string> = { HTTPS_PROXY: P }
  const proxy = proxyFromEnvironment(env)
  delete env.HTTPS_PROXY
  expect(proxy?.('https://api.example.com')).toEqual({ url: P, source: 'HTTPS_PROXY' })
})
