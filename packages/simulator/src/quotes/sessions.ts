/**
 * The sessions of market data: what MQTT connects and HTTP subscribes. Both sides know the same registry, because a call names a
 * session by the ClientId of its connection (facts, market data).
 */
import type { Clock } from '@brokerwire/core'
import { createConnectionSlots } from '../grpc/connection-slots.ts'
import type { QuotesSimulation } from './quotes-options.ts'

/** Types of a subscribe call, as they are sent. */
export const SUB_TYPES = ['QUOTE', 'SNAPSHOT', 'TICK'] as const
export type SubType = (typeof SUB_TYPES)[number]

/** What a session asked for of one symbol. */
export interface SubscribedSymbol {
  readonly category: string
  readonly symbol: string
  readonly types: ReadonlySet<SubType>
  readonly depth: number
  readonly overnight: boolean
}

/** The connection below a session. */
export interface SessionWire {
  readonly transport: 'tcp' | 'websocket'
  send(bytes: Uint8Array): void
  /** Ends it in an orderly way. */
  end(): void
  /** Breaks it. */
  destroy(): void
  /** Bytes below a WebSocket's frames. */
  sendRaw(bytes: Uint8Array): void
}

/** A session that is connected. */
export interface QuoteSession {
  readonly id: string
  readonly appKey: string
  readonly acceptedAtMs: number
  readonly wire: SessionWire
  /** By category and symbol. */
  readonly symbols: Map<string, SubscribedSymbol>
  /** Sends nothing any more but answers to PINGs; `'all'`: not even those. */
  silence: 'none' | 'messages' | 'all'
  /** What the rate limit dropped. */
  dropped: number
  /** When messages were sent within the last second. */
  readonly recentMs: number[]
}

export const symbolKey = (category: string, symbol: string): string => `${category} ${symbol}`

export interface QuoteSessions {
  /** @returns The session, or nothing where the app key has no slot left. Another one of this id is broken. */
  accept(id: string, appKey: string, wire: SessionWire): QuoteSession | undefined
  /** @param lost - Without DISCONNECT: its slot may linger. */
  close(session: QuoteSession, lost: boolean): void
  /** The session, where the HTTP side knows it by now. */
  find(appKey: string, id: string): QuoteSession | undefined
  list(): readonly QuoteSession[]
  /** Slots that are taken, the lingering ones included. */
  taken(appKey: string): number
}

export function createQuoteSessions(
  settings: QuotesSimulation,
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
