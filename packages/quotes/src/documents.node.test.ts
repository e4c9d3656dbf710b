/** The documents compared with the code: kinds of messages, retryable errors, and the defaults of the options. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parsePolicy } from './connection/policy.ts'
import { MessageItem, type QuotesKind } from './items/message-items.ts'
import type { QuotesErrorCode } from './quotes-error.ts'
import { parseQuotesOptions } from './quotes-options.ts'

const read = (file: string): Promise<string> =>
  readFile(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')
const guide = await read('guides/market-data.md')
const errors = await read('reference/errors.md')
const options = `${await read('reference/options/quotes.md')}${await read('reference/options/core.md')}`

/** The default of an option in the reference. */
function defaultOf(name: string): string | undefined {
  const [, , fallback] = new RegExp(`^\\| \`${name}\` \\| (.*?) \\| (.*?) \\|`, 'm').exec(options) ?? []
  return fallback
}

/** A type's members as a list. A missing one is an error of the compiler. */
const KINDS: Readonly<Record<QuotesKind | 'unknown', true>> = {
  quote: true,
  snapshot: true,
  tick: true,
  'event-quote': true,
  'event-snapshot': true,
  'event-tick': true,
  unknown: true,
}
const CODES: Readonly<Record<QuotesErrorCode, 'yes' | 'no'>> = {
  QUOTES_OPTION_INVALID: 'no',
  QUOTES_TOO_MANY_SYMBOLS: 'no',
  QUOTES_AUTH_REJECTED: 'no',
  QUOTES_REFUSED: 'no',
  QUOTES_CALL_FAILED: 'no',
  QUOTES_LOGIN_FAILED: 'no',
  QUOTES_GAVE_UP: 'yes',
  QUOTES_IN_USE: 'no',
  QUOTES_CLOSED: 'no',
  QUOTES_PAYLOAD_INVALID: 'no',
}

test('lists every kind of message, and no other', () => {
  const [, kinds = ''] = /`kind` \(([^)]*)\)/.exec(guide) ?? []
  expect([...kinds.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(Object.keys(KINDS))
})

test('lists every error code, with its retryable flag', () => {
  const listed = [...errors.matchAll(/^### (QUOTES_\w+)\n[\s\S]*?\*\*Retry:\*\* (\w+)/gm)]
  expect(Object.fromEntries(listed.map(([, code, retryable]) => [code, retryable]))).toEqual(CODES)
})

test('lists the defaults of the code', () => {
  const { bounds, ...parsed } = parseQuotesOptions({
    http: { request: async () => ({}) as never },
    mqttUrl: 'wss://data-api.example.com/mqtt',
    webSocket: class {} as never,
    product: { kind: 'server', appKey: 'key' },
  })
  expect(defaultOf('maxConnections')).toBe(String(parsed.maxConnections))
  expect(defaultOf('symbolsPerConnection')).toBe(String(parsed.symbolsPerConnection))
  expect(defaultOf('maxPacketBytes')).toBe(`${parsed.maxPacketBytes / 2 ** 20} MiB`)
  expect(defaultOf('buffer.maxTickBytes')).toContain(String(bounds.maxTickBytes))
  expect(defaultOf('buffer.maxStateBytes')).toContain(String(bounds.maxStateBytes))
  const policy = parsePolicy()
  for (const name of [
    'connectTimeoutMs',
    'pingIntervalMs',
    'pongTimeoutMs',
    'keepAliveMs',
    'stallTimeoutMs',
    'sessionGraceMs',
    'unauthorizedAttempts',
    'stableAfterMs',
    'backoffBaseMs',
    'backoffMaxMs',
    'connectionLimitWaitMs',
    'connectionLimitMaxMs',
  ] as const) {
    const [number] = defaultOf(name)?.split(' ') ?? []
    expect(Number(number?.replaceAll('_', '')), name).toBe(policy[name])
  }
  expect(policy.resubscribeIntervalMs).toBeUndefined()
  expect(policy.maxAttempts).toBeUndefined()
  expect(policy.retryCodes).toEqual([])
})

test('copies the fields of an item by spreading, without decode()', () => {
  const copy = {
    ...new MessageItem({
      kind: 'tick',
      topic: 'tick',
      symbol: 'AAPL',
      payload: Uint8Array.of(1),
      connection: 1,
      receivedAtMs: 5,
      duplicate: false,
    }),
  }
  expect(copy).toMatchObject({ kind: 'tick', symbol: 'AAPL' })
  expect(copy.payload[0]).toBe(1)
  expect(copy).not.toHaveProperty('decode')
})
