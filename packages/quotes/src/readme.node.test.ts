/** The lists of the README compared with the code: defaults, notices, kinds of messages, error codes. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parsePolicy } from './connection/policy.ts'
import { MessageItem, type QuotesKind } from './items/message-items.ts'
import type { QuotesNoticeKind } from './notices.ts'
import type { QuotesErrorCode } from './quotes-error.ts'
import { parseQuotesOptions } from './quotes-options.ts'

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')

/** The cells of the table under a heading, by row. */
function rows(heading: RegExp): readonly (readonly string[])[] {
  const lines = readme.slice(readme.search(heading)).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|'))
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'))
  return lines.slice(first + 2, first + length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
const names = (cells: string): string[] => [...cells.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** A type's members as a list. A missing one is an error of the compiler. */
const NOTICES: Readonly<Record<QuotesNoticeKind, true>> = {
  subscribed: true,
  reconnecting: true,
  gap: true,
  rejected: true,
  'subscribe-failed': true,
  stalled: true,
  'service-notice': true,
  overflow: true,
  'backfill-failed': true,
}
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

test('lists every notice and every kind of message, and no other', () => {
  const notices = rows(/^\| Notice \|/m).map(([cell = '']) => names(cell)[0])
  expect(notices).toEqual(Object.keys(NOTICES))
  const [message = ''] = rows(/^\| Item \|/m).map(
    ([, cell = '']) => /kind` \(([^)]*)\)/.exec(cell)?.[1] ?? '',
  )
  expect(names(message)).toEqual(Object.keys(KINDS))
})

test('lists every error code, with its retryable flag', () => {
  const codes = rows(/^\| Code \|/m).map(([cell = '', retryable = '']) => [names(cell)[0], retryable])
  expect(codes).toEqual(Object.entries(CODES))
})

test('lists the defaults of the code', () => {
  const table = new Map(
    rows(/^\| Option \|/m).map(([option = '', fallback = '', note = '']) => [option, [fallback, note]]),
  )
  const { bounds, ...read } = parseQuotesOptions({
    http: { request: async () => ({}) as never },
    mqttUrl: 'wss://data-api.example.com/mqtt',
    webSocket: class {} as never,
    product: { kind: 'server', appKey: 'key' },
  })
  expect(table.get('`maxConnections`, `symbolsPerConnection`')?.[0]).toBe(
    `${read.maxConnections}, ${read.symbolsPerConnection}`,
  )
  expect(table.get('`maxPacketBytes`')?.[0]).toBe(`${read.maxPacketBytes / 2 ** 20} MiB`)
  expect(table.get('`buffer`')?.[0]).toBe(
    `${bounds.maxTickBytes / 2 ** 20} MiB of trades, ${bounds.maxStateBytes / 2 ** 20} MiB of states`,
  )
  const [, supervision = ''] = table.get('`supervision`') ?? []
  const policy = parsePolicy()
  const inWords = (name: keyof typeof policy): string => {
    const value = policy[name]
    return typeof value === 'number' && name.endsWith('Ms') ? `${value / 1000} s` : String(value)
  }
  for (const name of [
    'connectTimeoutMs',
    'pingIntervalMs',
    'pongTimeoutMs',
    'keepAliveMs',
    'stallTimeoutMs',
    'sessionGraceMs',
    'stableAfterMs',
    'unauthorizedAttempts',
  ] as const) {
    expect(supervision).toContain(`\`${name}\` ${inWords(name)}`)
  }
  expect(policy.resubscribeIntervalMs).toBeUndefined()
  expect(policy.maxAttempts).toBeUndefined()
  expect(policy.retryCodes).toEqual([])
  expect(supervision).toContain('`resubscribeIntervalMs` off')
  expect(supervision).toContain('`retryCodes` none, `maxAttempts` none')
  expect(supervision).toContain(
    `backoff from ${inWords('backoffBaseMs')} to ${inWords('backoffMaxMs')}, ${inWords('connectionLimitWaitMs')} to ${inWords('connectionLimitMaxMs')} after CONNACK 105`,
  )
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
