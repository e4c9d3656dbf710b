/** Hooks and functions of callers that return invalid values, are slow, or are removed meanwhile. In virtual time. */
import { afterEach, describe, expect, test } from 'vitest'
import { createQuotes } from './create-quotes.ts'
import type { QuotesOptions } from './quotes-options.ts'
import { APP_KEY, type QuotesBench, quotesBench, readBench } from './test/quotes-bench.ts'

const STOCKS = { types: ['snapshot'], category: 'US_STOCK' } as const
const open: { quotes: QuotesBench['quotes'] }[] = []
afterEach(async () => {
  for (const { quotes } of open.splice(0)) await quotes.close()
})

async function live(symbols: string, more: Partial<QuotesOptions> = {}): Promise<QuotesBench> {
  const made = readBench(more)
  open.push(made)
  made.quotes.set({ ...STOCKS, symbols: symbols.split(' ') })
  await made.clock.advance(1000)
  return made
}

const clientToken = (): string => 'client-token'

describe('strings of CONNECT', () => {
  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(65_536)],
    ['with a NUL', 'a\0'],
    ['half a surrogate pair', '\ud800'],
    ['no text', 7],
  ])('a session id that is %s ends it with an error that does not show it', async (_, id) => {
    const made = await live('A', { sessionId: () => id as string })
    const error = await made.ended
    expect(error).toMatchObject({ code: 'QUOTES_OPTION_INVALID', details: { option: 'sessionId' } })
    expect(made.service.sent).toEqual([])
  })

  test.each([
    ['nothing', undefined],
    ['no password', { userName: 'u' }],
    ['an empty user name', { userName: '', password: 'secret-of-the-test' }],
    ['a password that is too long', { userName: 'u', password: 'secret-of-the-test'.repeat(5000) }],
  ])('a login with %s ends it', async (_, login) => {
    const product = { kind: 'client', login: () => login as never, clientToken } as const
    const made = await live('A', { product })
    const error = await made.ended
    expect(error).toMatchObject({ code: 'QUOTES_LOGIN_FAILED' })
    expect(JSON.stringify([error, String(error), String((error as Error).cause)])).not.toContain('secret-of')
    expect(made.service.sent).toEqual([])
  })

  test('calls the hook again if a login times out and throws', async () => {
    let asked = 0
    const login = ({
      signal,
    }: {
      readonly signal: { addEventListener(type: 'abort', heard: () => void): void }
    }) => {
      asked += 1
      if (asked > 1) return { userName: 'u', password: '' }
      return new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')))
      })
    }
    const made = await live('A', {
      product: { kind: 'client', login, clientToken },
      http: { request: async () => ({}) as never },
    })
    await made.clock.advance(30_000)
    expect(made.notices('reconnecting')).toMatchObject([{ reason: 'connect-timeout' }])
    expect(asked).toBe(2)
    expect(made.quotes.confirmed()).toHaveLength(1)
  })

  test('ignores the failure of a login after its attempt was closed', async () => {
    const login = ({
      signal,
    }: {
      readonly signal: { addEventListener(type: 'abort', heard: () => void): void }
    }) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')))
      })
    const made = await live('A', { product: { kind: 'client', login, clientToken } })
    made.quotes.set([])
    await made.clock.advance(1000)
    expect(made.quotes.connections()).toMatchObject([{ phase: 'idle' }])
    expect(made.clock.pendingTimers).toBe(0)
  })
})

test('sends CONNECT to a socket that is open at once', async () => {
  const { service, ...made } = quotesBench()
  await made.quotes.close()
  const early = readBench({
    clock: made.clock,
    http: service.http,
    socket: (address, events) => {
      const socket = service.openSocket(address, { ...events, opened() {} })
      events.opened()
      return socket
    },
  })
  open.push(early)
  early.quotes.set({ ...STOCKS, symbols: ['A'] })
  await made.clock.advance(1000)
  expect(early.quotes.confirmed()).toHaveLength(1)
})

test('lists no receive time of rejected symbols', async () => {
  const made = readBench()
  open.push(made)
  made.service.behaviour.badSymbols.add('BAD')
  made.quotes.set({ ...STOCKS, symbols: ['A', 'BAD'] })
  await made.clock.advance(1000)
  expect([...made.quotes.lastReceived().keys()]).toEqual(['A'])
})

test('does not backfill symbols that are no longer desired', async () => {
  const asked: unknown[] = []
  const made = await live('A B', {
    backfill: ({ symbols }) => {
      asked.push(symbols.map(({ symbol }) => symbol))
      return []
    },
  })
  const [session] = made.service.sessions
  session?.drop('ECONNRESET')
  made.quotes.remove({ symbols: ['A'], category: 'US_STOCK' })
  await made.clock.advance(2000)
  expect(asked).toEqual([['B']])
})

test('delivers thousands of backfilled rows after the gap notice', async () => {
  const made = await live('A', {
    backfill: ({ symbols }) =>
      Array.from({ length: 5000 }, (_, value) => ({
        category: 'US_STOCK',
        symbol: symbols[0]?.symbol ?? '',
        value,
      })),
  })
  made.service.sessions[0]?.drop()
  await made.clock.advance(2000)
  const filled = made.items.flatMap((item) => (item.type === 'backfilled' ? [item.value] : []))
  expect(filled).toEqual(Array.from({ length: 5000 }, (_, value) => value))
  expect(made.notices('gap')).toHaveLength(1)
  expect(made.notices('overflow')).toHaveLength(0)
})

test.each([
  ['wss://data-api.example:8883/mqtt', {}],
  ['mqtts://data-api.example:1883', { socket: () => ({ send() {}, end() {}, destroy() {} }) }],
])('rejects unused authorities for %s', (mqttUrl, more) => {
  const options = {
    http: { request: async () => ({}) as never },
    product: { kind: 'server', appKey: APP_KEY },
  } as const
  expect(() => createQuotes({ ...options, mqttUrl, tls: { ca: 'PEM' }, ...more })).toThrow(
    expect.objectContaining({
      code: 'QUOTES_OPTION_INVALID',
      details: expect.objectContaining({ option: 'tls.ca' }),
    }),
  )
})

describe('an observer', () => {
  test('gets each phase and each notice in order, and may throw', async () => {
    const reports: string[] = []
    const made = await live('A', {
      observer: {
        onQuotesState: ({ connection, phase, attempt }) => {
          reports.push(`${connection} ${phase} ${attempt}`)
          throw new Error('of the observer')
        },
        onQuotesNotice: ({ notice }) => {
          reports.push(notice.kind)
          throw new Error('of the observer')
        },
      },
    })
    made.service.sessions[0]?.drop('ECONNRESET')
    await made.clock.advance(2000)
    await made.quotes.close()
    expect(reports).toEqual([
      '1 opening 1',
      '1 live 1',
      'subscribed',
      '1 waiting 1',
      'reconnecting',
      '1 opening 2',
      '1 live 2',
      'subscribed',
      'gap',
      '1 ended 2',
    ])
    expect(await made.ended).toBe('left')
  })

  test('gets notices that no consumer read', async () => {
    const reports: string[] = []
    const made = quotesBench({ observer: { onQuotesNotice: ({ notice }) => void reports.push(notice.kind) } })
    made.quotes.set({ ...STOCKS, symbols: ['A'] })
    void made.quotes.next()
    await made.clock.advance(1000)
    made.service.sessions[0]?.drop()
    await made.clock.advance(1000)
    expect(reports).toEqual(['subscribed', 'reconnecting', 'subscribed', 'gap'])
    await made.quotes.close()
  })
})
