/** A process that places orders through a journal with a file store, until it is killed. */
import { createHttpClient, type HttpClient } from '@brokerwire/http'
import { getConfig } from '@brokerwire/operations'
import { createOrderJournal, type JournalOrder, type OrderEntry, type OrderJournal } from '@brokerwire/orders'
import { createSigner } from '@brokerwire/signer'
import { createFileStore } from '@brokerwire/stores/file'
import { report, serveCalls } from '@brokerwire/testing/child-calls'
import type { ServiceAccess } from './order-service.ts'
import { SETTLE_MS, TIMEOUT_MS } from './times.ts'

/** The journal of a process. */
export interface PlacerOptions {
  readonly service: ServiceAccess
  readonly directory: string
  readonly resend: 'never' | 'once'
}

/**
 * A report: the number of the last order that was begun, or an error that a call of a journal must not throw.
 */
export type PlacerReport = { readonly begun: number } | { readonly failed: string }

/** Number of orders that are placed at the same time. */
const AT_ONCE = 6

const accessToken = 'any-token'

const connect = ({ service: { baseUrl, appKey, appSecret } }: PlacerOptions): HttpClient =>
  createHttpClient({ baseUrl, signer: createSigner({ appKey, appSecret }) })

function open(options: PlacerOptions): OrderJournal {
  const { service, directory, resend } = options
  const store = createFileStore({ directory })
  return createOrderJournal({
    store,
    http: connect(options),
    accountId: service.accountId,
    resend,
    settleMs: SETTLE_MS,
    timeoutMs: TIMEOUT_MS,
  })
}

/**
 * Creates an order. Each order has another quantity, so that an order that was placed
 * twice is found even if its identifier is different.
 */
const orderOf = (slot: number, index: number): JournalOrder => ({
  newOrders: [
    {
      clientOrderId: `slot-${slot}-order-${index}`,
      comboType: 'NORMAL',
      instrumentType: 'EQUITY',
      market: 'US',
      symbol: 'AAPL',
      side: 'BUY',
      orderType: 'LIMIT',
      limitPrice: '10.00',
      entrustType: 'QTY',
      quantity: String(slot * 10_000 + index + 1),
      timeInForce: 'DAY',
      supportTradingSession: 'CORE',
    },
  ],
})

const commands = {
  /**
   * Places orders without end, from the number `first` on. First it sends another request, because the first
   * request of a process takes longer.
   */
  async start(options: PlacerOptions, slot: number, first: number, isRecovering: boolean): Promise<void> {
    const journal = open(options)
    await connect(options).request(getConfig, {}, { pathFamily: 'openapi' })
    await journal.list()
    const fail = (error: unknown): void => report({ failed: String(error) } satisfies PlacerReport)
    if (isRecovering) journal.recover({ accessToken }).catch(fail)
    let next = first
    const place = async (): Promise<never> => {
      for (;;) {
        const index = next
        next += 1
        report({ begun: index } satisfies PlacerReport)
        await journal.place(orderOf(slot, index), { accessToken }).catch(fail)
      }
    }
    for (let loop = 0; loop < AT_ONCE; loop += 1) place()
  },
  async recover(options: PlacerOptions, waitMs: number) {
    const { entries, skipped } = await open(options).recover({ accessToken, waitMs })
    return { resolved: entries.length, skipped }
  },
  list: async (options: PlacerOptions): Promise<OrderEntry[]> => [...(await open(options).list())],
}

export type PlacerCommands = typeof commands

serveCalls(commands)
