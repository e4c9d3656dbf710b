/**
 * Market data in whatever runtime this runs: over WebSocket everywhere, over TCP where there is TCP. It has neither a test runner
 * nor a module of a host; what is done to a connection is asked of `quotes-host.ts`.
 */
import type { createHttpClient } from '@brokerwire/http'
import type { createQuotes, isQuotesError, QuotesItem, QuotesOptions } from '@brokerwire/quotes'
import type { createSigner } from '@brokerwire/signer'

/** Where the simulator and its host listen. */
export interface QuotesTarget {
  /** The host: it takes calls and deeds. */
  readonly httpUrl: string
  readonly mqttUrl: string
  readonly mqttWebSocketUrl: string
  readonly appKey: string
  readonly appSecret: string
}

/** What can be asked of the host, at `/deeds/NAME`. */
export type QuotesDeed =
  | 'sessions'
  | 'step'
  | 'drop'
  | 'silence'
  | 'close-badly'
  | 'half'
  | 'malformed'
  | 'large'
  | 'acknowledged'
  | 'many'

/** What is under test, from wherever the runtime has it. */
export interface QuotesSubject {
  readonly createQuotes: typeof createQuotes
  readonly isQuotesError: typeof isQuotesError
  readonly createHttpClient: typeof createHttpClient
  readonly createSigner: typeof createSigner
  /** Where the host has none. */
  readonly webSocket?: QuotesOptions['webSocket']
}

/** What came of the cases. */
export interface QuotesReport {
  readonly passed: number
  readonly failures: readonly string[]
}

declare const fetch: (url: string, init: object) => Promise<{ text(): Promise<string> }>
declare const setTimeout: (callback: () => void, delayMs: number) => unknown
declare const clearTimeout: (timer: unknown) => void

/** A case that takes longer hangs, and the others are to be seen. */
const LIMIT_MS = 15_000
const NO_TOKEN = { get: async () => undefined, reportRejected: async () => ({ changed: false }) }
const PRICE = /^\d+\.\d\d$/

function equal(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (got !== wanted) throw new Error(`${what}: ${got} is not ${wanted}`)
}

/** One market data with its reader. */
class Feed {
  readonly quotes: ReturnType<typeof createQuotes>
  readonly items: QuotesItem[] = []
  readonly #target: QuotesTarget

  constructor(subject: QuotesSubject, target: QuotesTarget, more: Partial<QuotesOptions>) {
    const { appKey, appSecret, httpUrl: baseUrl } = target
    const signer = subject.createSigner({ appKey, appSecret })
    this.#target = target
    this.quotes = subject.createQuotes({
      http: subject.createHttpClient({ baseUrl, signer, accessTokens: NO_TOKEN }),
      mqttUrl: target.mqttWebSocketUrl,
      product: { kind: 'server', appKey },
      ...(subject.webSocket === undefined ? {} : { webSocket: subject.webSocket }),
      ...more,
      supervision: { backoffBaseMs: 20, backoffMaxMs: 50, ...more.supervision },
    })
    this.quotes.set({ symbols: ['AAPL'], types: ['snapshot'], category: 'US_STOCK' })
  }

  async deed(deed: QuotesDeed): Promise<unknown> {
    const answer = await fetch(`${this.#target.httpUrl}/deeds/${deed}`, { method: 'POST' })
    return JSON.parse(await answer.text())
  }

  /** Reads on to an item. */
  async until(what: string, matches: (item: QuotesItem) => boolean): Promise<QuotesItem> {
    for (;;) {
      const { value, done } = await this.quotes.next()
      if (done === true) throw new Error(`ended before ${what}`)
      this.items.push(value)
      if (matches(value)) return value
    }
  }

  notice(kind: string): Promise<QuotesItem> {
    return this.until(kind, (item) => item.type === 'notice' && item.kind === kind)
  }

  message(topic: string): Promise<QuotesItem> {
    return this.until(topic, (item) => item.type === 'message' && item.topic === topic)
  }

  /** Until no session is left at the broker. */
  async left(): Promise<void> {
    while (JSON.stringify(await this.deed('sessions')) !== '[]') {
      await new Promise<void>((resolve) => setTimeout(resolve, 10))
    }
  }
}

type Case = (feed: Feed) => Promise<void>

async function liveSnapshot(feed: Feed): Promise<void> {
  equal(await feed.deed('step'), 1, 'messages of a step')
  const item = await feed.message('snapshot')
  const decoded = item.type === 'message' && item.kind === 'snapshot' ? item.decode() : undefined
  if (decoded?.ok !== true) throw new Error('the snapshot was not decoded')
  equal(decoded.value.symbol, 'AAPL', 'symbol')
  equal(PRICE.test(decoded.value.price ?? ''), true, 'price')
}

/** Over every transport. */
const CASES: Readonly<Record<string, Case>> = {
  async 'subscribes, receives, changes what it wants, and leaves'(feed) {
    await feed.notice('subscribed')
    await liveSnapshot(feed)
    feed.quotes.add({ symbols: ['TSLA'], types: ['tick'], category: 'US_STOCK' })
    await feed.notice('subscribed')
    equal(feed.quotes.confirmed().length, 2, 'confirmed')
    await feed.quotes.close()
    await feed.left()
  },
  async 'comes back after a drop, with a gap'(feed) {
    await feed.notice('subscribed')
    const before = await feed.deed('sessions')
    await feed.deed('drop')
    await feed.notice('gap')
    equal(JSON.stringify(before) === JSON.stringify(await feed.deed('sessions')), false, 'the same session')
    await liveSnapshot(feed)
  },
  async 'leaves a connection that answers no PING'(feed) {
    await feed.notice('subscribed')
    await feed.deed('silence')
    const item = await feed.notice('reconnecting')
    equal(item.type === 'notice' && item.kind === 'reconnecting' && item.reason, 'heartbeat-lost', 'reason')
    await feed.notice('gap')
  },
  async 'leaves a connection that speaks no MQTT'(feed) {
    await feed.notice('subscribed')
    await feed.deed('malformed')
    const item = await feed.notice('reconnecting')
    equal(item.type === 'notice' && item.kind === 'reconnecting' && item.fault, 'topic', 'fault')
    await feed.notice('gap')
  },
  async 'takes messages of 300,000 bytes, thousands at once, and such as are to be acknowledged'(feed) {
    await feed.notice('subscribed')
    await feed.deed('large')
    const large = await feed.message('large')
    if (large.type !== 'message') throw new Error('no message')
    equal([large.payload.length, large.payload.every((byte) => byte === 7)], [300_000, true], 'bytes')
    await feed.deed('many')
    for (let count = 0; count < 2000; count += 1) {
      const item = await feed.message('many')
      const text = item.type === 'message' ? String.fromCharCode(...item.payload) : ''
      equal(text, String(count), 'order')
    }
    await feed.deed('acknowledged')
    await feed.message('acknowledged')
    await liveSnapshot(feed)
  },
  async 'ends when it is left, and its slot is free'(feed) {
    await feed.notice('subscribed')
    await feed.quotes.return()
    equal((await feed.quotes.next()).done, true, 'done')
    await feed.left()
  },
}

const OVER_TCP: Readonly<Record<string, Case>> = {
  ...CASES,
  async 'takes half a packet, and the rest later'(feed) {
    await feed.notice('subscribed')
    await feed.deed('half')
    const item = await feed.message('tick')
    equal(item.type === 'message' && [...item.payload], [1, 2, 3], 'payload')
  },
}

const OVER_WEB_SOCKET: Readonly<Record<string, Case>> = {
  ...CASES,
  async 'comes back from a close frame that is none'(feed) {
    await feed.notice('subscribed')
    await feed.deed('close-badly')
    await feed.notice('reconnecting')
    await feed.notice('gap')
    await liveSnapshot(feed)
  },
}

/** Runs all of it, one after the other. @param tcp - Whether the runtime has TCP. */
export async function runQuotesCases(
  subject: QuotesSubject,
  target: QuotesTarget,
  tcp: boolean,
): Promise<QuotesReport> {
  const failures: string[] = []
  let passed = 0
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    let timer: unknown
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`goes on after ${LIMIT_MS} ms`)), LIMIT_MS)
    })
    try {
      await Promise.race([work(), late])
      passed += 1
    } catch (error) {
      failures.push(`${name}: ${String(error)}`)
    } finally {
      clearTimeout(timer)
    }
  }
  const transports = [
    ['WebSocket', target.mqttWebSocketUrl, OVER_WEB_SOCKET] as const,
    ...(tcp ? [['TCP', target.mqttUrl, OVER_TCP] as const] : []),
  ]
  for (const [transport, mqttUrl, cases] of transports) {
    for (const [name, run] of Object.entries(cases)) {
      const supervision = name.includes('PING') ? { pingIntervalMs: 100, pongTimeoutMs: 100 } : {}
      let feed: Feed | undefined
      await attempt(`${transport}: ${name}`, async () => {
        feed = new Feed(subject, target, { mqttUrl, supervision })
        await run(feed)
      })
      await feed?.quotes.close()
    }
  }
  if (!tcp) {
    await attempt('TCP is refused where there is none', async () => {
      try {
        new Feed(subject, target, { mqttUrl: target.mqttUrl })
      } catch (error) {
        if (subject.isQuotesError(error, 'QUOTES_OPTION_INVALID')) return
        throw error
      }
      throw new Error('it was taken')
    })
  }
  return { passed, failures }
}
