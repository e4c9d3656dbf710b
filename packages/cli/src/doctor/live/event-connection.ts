/** One subscription to the trade stream on its own connection, which only reads control frames. */
import type { ProxyOption, Secret } from '@brokerwire/core'
import { addAbortListener } from '@brokerwire/core/internal'
import { TradeEventService, TradeEventType, TradeSubscribeRequestSchema } from '@brokerwire/protos'
import type { Signer } from '@brokerwire/signer'
import { grpcConnections, subscribe } from '@brokerwire/streams'
import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { describeReason } from '../reason.ts'
import type { StreamOutcome } from './outcome.ts'

/** Value of `subscribeType` for orders (specification, "Trade/position stream request"). */
const ORDERS = 1
/** Type of order events (specification, "Trade/position stream request"). */
const ORDER_EVENT = 1024
/** An error code at the start of a payload or in its JSON. */
const ERROR_CODE = /^[^A-Za-z]*(?:"?(?:error_code|code)"?\W+)?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)/

/** Options of {@link openEventConnection}. */
export interface EventConnectionOptions {
  readonly eventsUrl: string
  readonly allowInsecure: boolean
  readonly proxy: ProxyOption | undefined
  readonly signer: Signer
  /** The service's time, in milliseconds since the Unix epoch. */
  readonly now: () => number
  readonly accounts: readonly string[]
  readonly accessToken: Secret | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A connection after its attempt to subscribe. */
export interface EventConnection {
  readonly outcome: StreamOutcome
  /** Whether the subscription is open. */
  readonly isOpen: boolean
  /** Times at which pings were received, in milliseconds by a monotonic clock. */
  readonly pings: readonly number[]
  /** Waits until this many pings were received, the subscription has ended, or the time has passed. */
  waitForPings(count: number, limitMs: number): Promise<void>
  close(): void
}

/** Opens a connection and requests a subscription. Never rejects. */
export async function openEventConnection(options: EventConnectionOptions): Promise<EventConnection> {
  const { eventsUrl, allowInsecure, proxy, accounts, accessToken, signer, now, timeoutMs, signal } = options
  const controller = new AbortController()
  const release = addAbortListener(signal, () => controller.abort())
  const pings: number[] = []
  const listeners = new Set<() => void>()
  let isOpen = false
  const connection = grpcConnections({ allowInsecure, proxy, connectTimeoutMs: timeoutMs })(eventsUrl)
  const close = (): void => {
    release()
    isOpen = false
    controller.abort()
    connection.close()
    for (const listener of listeners) listener()
  }

  const open = async (): Promise<StreamOutcome> => {
    const message = create(TradeSubscribeRequestSchema, {
      subscribeType: ORDERS,
      timestamp: BigInt(Math.round(now())),
      accounts: [...accounts],
    })
    const subscription = await subscribe({
      method: TradeEventService.method.subscribe,
      message,
      transport: connection.transport,
      signer,
      accessToken: accessToken?.reveal(),
      signal: controller.signal,
    })
    for (let read = await subscription.next(); read.done !== true; read = await subscription.next()) {
      const { eventType, payload, requestId } = read.value
      const connectionId = requestId === '' ? undefined : requestId
      if (CONTROL_REJECTIONS.includes(eventType)) {
        const [, code] = ERROR_CODE.exec(payload) ?? []
        return { type: 'rejected', by: TradeEventType[eventType] ?? String(eventType), code, connectionId }
      }
      // Other types, also unknown ones, say nothing about the subscription.
      if (!ACCEPTED.includes(eventType)) continue
      isOpen = true
      if (eventType === TradeEventType.Ping) pings.push(performance.now())
      void readPings(subscription.next)
      return { type: 'subscribed', connectionId }
    }
    return { type: 'rejected', by: 'the end of the stream' }
  }
  const readPings = async (next: () => Promise<IteratorResult<{ readonly eventType: number }, unknown>>) => {
    try {
      for (let read = await next(); read.done !== true; read = await next()) {
        if (read.value.eventType !== TradeEventType.Ping) continue
        pings.push(performance.now())
        for (const listener of listeners) listener()
      }
    } catch {
      // The subscription has ended.
    }
    close()
  }

  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    controller.abort()
  }, timeoutMs)
  const outcome = await open()
    .catch((error: unknown): StreamOutcome => {
      if (isLate) return { type: 'failed', reason: `no response within ${timeoutMs} ms` }
      return describeFailure(error)
    })
    .finally(() => clearTimeout(timer))
  if (outcome.type !== 'subscribed') close()
  return {
    outcome,
    get isOpen() {
      return isOpen
    },
    pings,
    waitForPings: (count, limitMs) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (isOpen && pings.length < count) return
          clearTimeout(limit)
          listeners.delete(check)
          resolve()
        }
        const limit = setTimeout(() => {
          listeners.delete(check)
          resolve()
        }, limitMs)
        listeners.add(check)
        check()
      }),
    close,
  }
}

/** Control frames that end a subscription. */
const CONTROL_REJECTIONS: readonly number[] = [
  TradeEventType.AuthError,
  TradeEventType.NumOfConnExceed,
  TradeEventType.SubscribeExpired,
]

/** Frames that show that the service accepted the subscription. */
const ACCEPTED: readonly number[] = [TradeEventType.SubscribeSuccess, TradeEventType.Ping, ORDER_EVENT]

/** Describes a failed call: by its status if the service sent one, otherwise by the error of the network. */
function describeFailure(error: unknown): StreamOutcome {
  if (!(error instanceof ConnectError) || !error.metadata.has('grpc-status'))
    return { type: 'failed', reason: describeReason(error) }
  return { type: 'rejected', by: statusName(error.code) }
}

/** Returns the name of a gRPC status as in the gRPC documents, such as `RESOURCE_EXHAUSTED`. */
const statusName = (code: Code): string =>
  code === Code.Canceled ? 'CANCELLED' : Code[code].replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
