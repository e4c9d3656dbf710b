/** Market data in virtual time with the model of the service, and a consumer that records its items. */
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { createQuotes, type Quotes, type QuotesItem } from '../create-quotes.ts'
import type { QuotesNotice } from '../notices.ts'
import type { QuotesOptions } from '../quotes-options.ts'
import { createVirtualService, type VirtualService } from './virtual-service.ts'

export interface QuotesBench {
  readonly clock: VirtualClock
  readonly service: VirtualService
  readonly quotes: Quotes
  readonly items: QuotesItem[]
  /** The end of the loop: its error, if there was one. */
  readonly ended: Promise<unknown>
  /** The received notices of a kind. */
  notices<Kind extends QuotesNotice['kind']>(kind: Kind): Extract<QuotesNotice, { readonly kind: Kind }>[]
  /** Messages in short: `snapshot A 1.5`. */
  messages(): string[]
}

export const APP_KEY = 'app-key-of-the-test'

/** A message in a short notation. */
export function shortMessage(item: QuotesItem): string[] {
  if (item.type !== 'message') return []
  const decoded = item.decode()
  const price = decoded.ok && 'price' in decoded.value ? ` ${decoded.value.price}` : ''
  return [`${item.kind} ${item.symbol}${price}`]
}

/** Creates the client. Nothing is read before `read()`. */
export function quotesBench(
  more: Partial<QuotesOptions> = {},
): Omit<QuotesBench, 'ended'> & { read(): Promise<unknown> } {
  const clock = createVirtualClock()
  const service = createVirtualService(clock)
  const quotes = createQuotes({
    http: service.http,
    mqttUrl: 'mqtts://data-api.example:1883',
    product: { kind: 'server', appKey: APP_KEY },
    socket: service.openSocket,
    clock,
    random: () => 0.5,
    ...more,
  })
  const items: QuotesItem[] = []
  return {
    clock,
    service,
    quotes,
    items,
    async read() {
      try {
        for await (const item of quotes) items.push(item)
        return 'left'
      } catch (error) {
        return error
      }
    },
    notices: (kind) =>
      items.flatMap((item) => (item.type === 'notice' && item.kind === kind ? [item] : [])) as never,
    messages: () => items.flatMap(shortMessage),
  }
}

/** Creates a client whose items are read. */
export function readBench(more: Partial<QuotesOptions> = {}): QuotesBench {
  const { read, ...bench } = quotesBench(more)
  return { ...bench, ended: read() }
}
