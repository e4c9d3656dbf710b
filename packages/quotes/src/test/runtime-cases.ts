/** Market data in every runtime: over WebSocket, and over TCP if the runtime has it. `quotes-host.ts` performs the faults. */
import type * as http from '@brokerwire/http'
import type * as quotes from '@brokerwire/quotes'
import type { QuotesItem } from '@brokerwire/quotes'
import type * as signer from '@brokerwire/signer'
import { type Cases, equal, type Outcome, runCases } from '@brokerwire/testing/cases'

/** The addresses of the simulator and of its host. */
export interface QuotesTarget {
  /** Address of the host, which handles calls and `/faults/NAME`. */
  readonly baseUrl: string
  readonly mqttUrl: string
  readonly mqttWebSocketUrl: string
  readonly appKey: string
  readonly appSecret: string
}

/** The packages under test, as the runtime resolves them. */
export type QuotesSubject = Pick<typeof quotes, 'createQuotes' | 'isQuotesError'> &
  Pick<typeof http, 'createHttpClient'> &
  Pick<typeof signer, 'createSigner'> &
  // WebSocket class for a runtime that has none.
  Pick<Partial<quotes.QuotesOptions>, 'webSocket'>

const NO_TOKEN = { get: async () => undefined, reportRejected: async () => ({ changed: false }) }
const PRICE = /^\d+\.\d\d$/

/** One market data client and its reader. */
class Feed {
  readonly quotes: quotes.Quotes
  readonly #target: QuotesTarget

  constructor(subject: QuotesSubject, target: QuotesTarget, more: Partial<quotes.QuotesOptions>) {
    const { appKey, appSecret, baseUrl } = target
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

  async fault(name: string): Promise<unknown> {
    return (await fetch(`${this.#target.baseUrl}/faults/${name}`, { method: 'POST' })).json()
  }

  /** Reads until an item matches. */
  async until(what: string, matches: (item: QuotesItem) => boolean): Promise<QuotesItem> {
    for (;;) {
      const { value, done } = await this.quotes.next()
      if (done === true) throw new Error(`ended before ${what}`)
      if (matches(value)) return value
    }
  }

  notice(kind: string): Promise<QuotesItem> {
    return this.until(kind, (item) => item.type === 'notice' && item.kind === kind)
  }

  message(topic: string): Promise<QuotesItem> {
    return this.until(topic, (item) => item.type === 'message' && item.topic === topic)
  }

  async liveSnapshot(): Promise<void> {
    equal(await this.fault('step'), 1, 'messages of a step')
    const item = await this.message('snapshot')
    const decoded = item.type === 'message' && item.kind === 'snapshot' ? item.decode() : undefined
    if (decoded?.ok !== true) throw new Error('the snapshot was not decoded')
    equal(decoded.value.symbol, 'AAPL', 'symbol')
    equal(PRICE.test(decoded.value.price ?? ''), true, 'price')
  }

  /** Waits until the broker has no session. */
  async untilNoSession(): Promise<void> {
    while (JSON.stringify(await this.fault('sessions')) !== '[]') {
      await new Promise<void>((resolve) => setTimeout(resolve, 10))
    }
  }
}

/** A case starts when its client has subscribed. */
type Case = (feed: Feed) => Promise<void>

const CASES: Readonly<Record<string, Case>> = {
  async 'subscribes, receives, changes its subscriptions, and closes'(feed) {
    await feed.liveSnapshot()
    feed.quotes.add({ symbols: ['TSLA'], types: ['tick'], category: 'US_STOCK' })
    await feed.notice('subscribed')
    equal(feed.quotes.confirmed().length, 2, 'confirmed')
    await feed.quotes.close()
    await feed.untilNoSession()
  },
  async 'reconnects after a drop, with a gap'(feed) {
    const before = JSON.stringify(await feed.fault('sessions'))
    await feed.fault('drop')
    await feed.notice('gap')
    equal(before === JSON.stringify(await feed.fault('sessions')), false, 'the same session')
    await feed.liveSnapshot()
  },
  async 'leaves a connection that answers no PING'(feed) {
    await feed.fault('silence')
    const item = await feed.notice('reconnecting')
    equal(item.type === 'notice' && item.kind === 'reconnecting' && item.reason, 'heartbeat-lost', 'reason')
    await feed.notice('gap')
  },
  async 'leaves a connection that is not MQTT'(feed) {
    await feed.fault('malformed')
    const item = await feed.notice('reconnecting')
    equal(item.type === 'notice' && item.kind === 'reconnecting' && item.fault, 'topic', 'fault')
    await feed.notice('gap')
  },
  async 'receives 300,000 bytes, 2,000 messages at once, and messages that want an acknowledgement'(feed) {
    await feed.fault('large')
    const large = await feed.message('large')
    if (large.type !== 'message') throw new Error('no message')
    equal([large.payload.length, large.payload.every((byte) => byte === 7)], [300_000, true], 'bytes')
    await feed.fault('many')
    for (let count = 0; count < 2000; count += 1) {
      const item = await feed.message('many')
      equal(item.type === 'message' && String.fromCharCode(...item.payload), String(count), 'order')
    }
    await feed.fault('acknowledged')
    await feed.message('acknowledged')
    await feed.liveSnapshot()
  },
  async 'return() ends it and its session'(feed) {
    await feed.quotes.return()
    equal((await feed.quotes.next()).done, true, 'done')
    await feed.untilNoSession()
  },
}

const TCP_CASES: Readonly<Record<string, Case>> = {
  ...CASES,
  async 'receives a packet in two parts'(feed) {
    await feed.fault('half')
    const item = await feed.message('tick')
    equal(item.type === 'message' && [...item.payload], [1, 2, 3], 'payload')
  },
}

const WEB_SOCKET_CASES: Readonly<Record<string, Case>> = {
  ...CASES,
  async 'reconnects after an invalid close frame'(feed) {
    await feed.fault('invalid-close')
    await feed.notice('reconnecting')
    await feed.notice('gap')
    await feed.liveSnapshot()
  },
}

/** Runs all cases. @param tcp - Whether the runtime has TCP. */
export async function runQuotesCases(
  subject: QuotesSubject,
  target: QuotesTarget,
  tcp: boolean,
): Promise<Outcome> {
  const over = (transport: string, mqttUrl: string, cases: Readonly<Record<string, Case>>): Cases =>
    Object.fromEntries(
      Object.entries(cases).map(([name, run]) => [
        `${transport}: ${name}`,
        async () => {
          const supervision = name.includes('PING') ? { pingIntervalMs: 100, pongTimeoutMs: 100 } : {}
          const feed = new Feed(subject, target, { mqttUrl, supervision })
          try {
            await feed.notice('subscribed')
            await run(feed)
          } finally {
            await feed.quotes.close()
          }
        },
      ]),
    )
  const withoutTcp: Cases = {
    async 'TCP is rejected'() {
      try {
        new Feed(subject, target, { mqttUrl: target.mqttUrl })
      } catch (error) {
        if (subject.isQuotesError(error, 'QUOTES_OPTION_INVALID')) return
        throw error
      }
      throw new Error('it was accepted')
    },
  }
  return await runCases({
    ...over('WebSocket', target.mqttWebSocketUrl, WEB_SOCKET_CASES),
    ...(tcp ? over('TCP', target.mqttUrl, TCP_CASES) : withoutTcp),
  })
}
