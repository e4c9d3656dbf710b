/**
 * A gateway for browser pages as a program. It reads the variables that `brokerwire simulate` prints.
 *
 * The sign-in is a demonstration: one session, DEMO_SESSION, for all of BROKERWIRE_ACCOUNTS. Replace `authenticate`.
 */
import { readFileSync } from 'node:fs'
import { createBrokerage } from '@brokerwire/client'
import { isBrokerwireError } from '@brokerwire/core'
import { type Decimal, decimalToPlain } from '@brokerwire/payloads'
import { createFileStore } from '@brokerwire/stores/file'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { endWith } from '../end-with.ts'
import { readSettings, SettingError } from '../settings.ts'
import { EventFeed, type FeedEvent } from './event-feed.ts'
import { createGateway } from './gateway.ts'

const { DEMO_SESSION, BROKERWIRE_ACCOUNTS, BROKERWIRE_STORE = '.brokerwire', PORT = '8090' } = process.env
const { PAGE_ORIGIN = `http://127.0.0.1:${PORT}` } = process.env

/**
 * Returns an amount as a string without an exponent, for example `0.0000000000` for `0E-10`. The amount never
 * becomes a float.
 */
const plain = (amount: Decimal | undefined): string | undefined => amount && decimalToPlain(amount)

function open() {
  // DEMO_SESSION has no default, because with a known session everyone could sign in.
  if (!DEMO_SESSION) throw new SettingError('DEMO_SESSION is not set: set it to a long random text')
  if (!BROKERWIRE_ACCOUNTS)
    throw new SettingError('BROKERWIRE_ACCOUNTS is not set: the accounts, with commas')
  const accounts = new Set(BROKERWIRE_ACCOUNTS.split(','))
  const brokerage = createBrokerage({
    ...readSettings(),
    store: createFileStore({ directory: BROKERWIRE_STORE }),
  })

  /** The order events for pages. A page gets the fields that are named here, and no others. */
  async function* orderEvents(signal: AbortSignal): AsyncGenerator<FeedEvent> {
    for await (const item of brokerage.tradeEvents({ accounts: [...accounts], signal })) {
      if (item.type === 'notice') {
        // The trade stream has no cursor, so the service does not send earlier events again.
        if (item.kind === 'gap') yield { name: 'gap', data: { reason: item.cause } }
        continue
      }
      const order = item.kind === 'order' ? item.decode() : undefined
      if (!order?.ok) {
        console.error(`an event of kind ${item.kind} was not sent to pages: its account is unknown`)
        yield { name: 'gap', data: { reason: 'unreadable' } }
        continue
      }
      const { accountId, orderId, symbol, side, qty, filledQty, filledPrice } = order.value
      const status = order.value.sceneType ?? order.value.orderStatus
      const data = {
        ...{ orderId, symbol, side, status },
        qty: plain(qty),
        filledQty: plain(filledQty),
        filledPrice: plain(filledPrice),
      }
      yield { name: 'order', account: accountId, data }
    }
  }

  const report = (error: unknown): void =>
    console.error(isBrokerwireError(error) ? `${error.code}: ${error.message}` : error)
  const feed = new EventFeed({ open: orderEvents, onError: report })
  const gateway = createGateway({
    brokerage,
    feed,
    origin: PAGE_ORIGIN,
    // Replace this with your sign-in: look up the session, and the accounts of its user.
    authenticate: (request) =>
      /(?:^|; )session=([^;]*)/.exec(request.headers.get('cookie') ?? '')?.[1] === DEMO_SESSION
        ? { accounts }
        : undefined,
  })
  // In production a person must confirm the new token. Until then, calls fail with TOKEN_PENDING.
  brokerage.accessTokens.get().then(() => console.log('token ready'), report)
  return { brokerage, feed, gateway }
}

function start() {
  const { brokerage, feed, gateway } = open()
  const site = new Hono()
  // In production, your own server sends the pages. These two files are only for a first try.
  const file = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
  const policy = { 'content-security-policy': "default-src 'self'; frame-ancestors 'none'" }
  site.get('/', (c) => c.html(file('page.html'), 200, policy))
  site.get('/page.js', (c) => c.body(file('page.js'), 200, { 'content-type': 'text/javascript' }))
  site.route('/', gateway)

  const server = serve({ fetch: site.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) =>
    console.log(`listening on http://127.0.0.1:${port}`),
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, async () => {
      server.close()
      feed.close()
      await brokerage.close()
    })
}

try {
  start()
} catch (error) {
  endWith(error)
}
