/**
 * Registry of market data sessions, which MQTT connections and HTTP calls share. A subscribe call identifies
 * its session by the ClientId of the MQTT connection (facts, market data).
 */
import type { Clock } from '@brokerwire/core'
import { createConnectionSlots } from '../grpc/connection-slots.ts'
import type { QuotesSettings } from './quotes-options.ts'

/** Types in a subscribe call, as on the wire. */
export const SUB_TYPES = ['QUOTE', 'SNAPSHOT', 'TICK'] as const
/** A type of message in a subscribe call. */
export type SubType = (typeof SUB_TYPES)[number]

/** Subscription of a session to one symbol. */
export interface SubscribedSymbol {
  /** Category of the instrument, such as `US_STOCK`. */
  readonly category: string
  /** Symbol within its category. */
  readonly symbol: string
  /** Types of the messages that are sent. */
  readonly types: ReadonlySet<SubType>
  /** Number of order book levels on each side. */
  readonly depth: number
  /** Whether snapshots contain overnight fields. */
  readonly overnight: boolean
}

/** Connection of a session. */
export interface SessionWire {
  readonly transport: 'tcp' | 'websocket'
  send(bytes: Uint8Array): void
  /** Closes the connection cleanly. */
  end(): void
  /** Destroys the connection. */
  destroy(): void
  /** Sends bytes without the framing of WebSocket. */
  sendRaw(bytes: Uint8Array): void
}

/** A connected session. */
export interface QuoteSession {
  readonly id: string
  readonly appKey: string
  readonly acceptedAtMs: number
  readonly wire: SessionWire
  /** Subscriptions, by category and symbol. */
  readonly symbols: Map<string, SubscribedSymbol>
  /** With `'messages'`, only responses to PINGREQ are sent. With `'all'`, nothing is sent. */
  silence: 'none' | 'messages' | 'all'
  /** Number of messages that the rate limit discarded. */
  dropped: number
  /** Timestamps of the messages that were sent within the last second. */
  readonly recentMs: number[]
}

export const symbolKey = (category: string, symbol: string): string => `${category} ${symbol}`

export interface QuoteSessions {
  /**
   * Creates a session. An older session with this id is disconnected.
   *
   * @returns The session. `undefined` if the app key has no free slot.
   */
  accept(id: string, appKey: string, wire: SessionWire): QuoteSession | undefined
  /**
   * @param lost - Whether the connection ended without DISCONNECT, so that its slot stays used for
   * `slotLingerMs`.
   */
  close(session: QuoteSession, lost: boolean): void
  /**
   * Returns the session of an app key for a subscribe call. `undefined` if there is none, or if
   * `registrationMs` is not over.
   */
  find(appKey: string, id: string): QuoteSession | undefined
  list(): readonly QuoteSession[]
  /** Returns the number of used connection slots, including those of lost connections that still count. */
  taken(appKey: string): number
}

export function createQuoteSessions(
  settings: QuotesSettings,
  clock: Clock,
  onChange: () => void,
): QuoteSessions {
  const slots = createConnectionSlots(settings)
  const sessions = new Map<string, QuoteSession>()
  const close: QuoteSessions['close'] = (session, lost) => {
    if (sessions.get(session.id) !== session) return
    sessions.delete(session.id)
    slots.release(session.appKey, lost, clock.now())
    onChange()
  }
  return {
    accept(id, appKey, wire) {
      const before = sessions.get(id)
      if (before !== undefined) {
        close(before, false)
        before.wire.destroy()
      }
      const acceptedAtMs = clock.now()
      if (!slots.acquire(appKey, acceptedAtMs)) return undefined
      const session: QuoteSession = {
        id,
        appKey,
        acceptedAtMs,
        wire,
        symbols: new Map(),
        silence: 'none',
        dropped: 0,
        recentMs: [],
      }
      sessions.set(id, session)
      onChange()
      return session
    },
    close,
    find(appKey, id) {
      const session = sessions.get(id)
      if (session === undefined || session.appKey !== appKey) return undefined
      return clock.now() >= session.acceptedAtMs + settings.registrationMs ? session : undefined
    },
    list: () => [...sessions.values()],
    taken: (appKey) => slots.taken(appKey, clock.now()),
  }
}
