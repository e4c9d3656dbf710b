/** What identifies an event of a trade stream across restarts: its code, its request id and a digest of its payload. */
import { createHash } from 'node:crypto'

/** Payloads of more UTF-16 units are digested at once, because up to 64 of them wait otherwise. */
const MAX_HELD_UNITS = 16 * 1024
/** The number of events that are remembered. */
export const MAX_RECENT_EVENTS = 64

interface TradeEventFields {
  readonly eventType: number
  readonly requestId: string
  readonly payload: string
}

/** 128 bits of SHA-256, as 22 characters. */
const digest = (payload: string): string =>
  createHash('sha256').update(payload).digest().subarray(0, 16).toString('base64url')

/** Returns the identity as it is stored. */
export function eventIdentity({ eventType, requestId, payload }: TradeEventFields): string {
  return `${eventType}/${digest(payload)}/${requestId}`
}

/** The last events that were handled. Their identities are computed when they are stored, not for each event. */
export class RecentEvents {
  readonly #maxIdUnits: number
  readonly #events: (TradeEventFields | string)[] = []
  #next = 0

  /** @param maxIdBytes - Events with a longer request id are not remembered. At two bytes a UTF-16 unit. */
  constructor(maxIdBytes: number) {
    this.#maxIdUnits = Math.floor(maxIdBytes / 2)
  }

  /** Continues with the identities that were stored. */
  begin(identities: readonly string[]): void {
    for (const identity of identities) this.#push(identity)
  }

  add(event: TradeEventFields): void {
    const { eventType, requestId, payload } = event
    // A consumer may have changed its item.
    if (typeof requestId !== 'string' || typeof payload !== 'string') return
    if (requestId === '' || requestId.length > this.#maxIdUnits) return
    this.#push(payload.length > MAX_HELD_UNITS ? eventIdentity(event) : { eventType, requestId, payload })
  }

  /** Returns the identities, oldest first. */
  identities(): string[] {
    const events = this.#events
    for (const [index, event] of events.entries())
      if (typeof event !== 'string') events[index] = eventIdentity(event)
    const oldest = events.length < MAX_RECENT_EVENTS ? 0 : this.#next
    return [...events.slice(oldest), ...events.slice(0, oldest)] as string[]
  }

  #push(event: TradeEventFields | string): void {
    this.#events[this.#next] = event
    this.#next = (this.#next + 1) % MAX_RECENT_EVENTS
  }
}

/** The events that were handled before this stream. */
export class StoredEvents {
  readonly #identities = new Set<string>()
  readonly #requestIds = new Set<string>()
  /** The number of events after which the service has sent its last ones again. */
  #remaining: number

  constructor(maxEvents: number) {
    this.#remaining = maxEvents
  }

  add(identities: readonly string[]): void {
    for (const identity of identities) {
      const [, , ...requestId] = identity.split('/')
      this.#identities.add(identity)
      this.#requestIds.add(requestId.join('/'))
    }
  }

  /** Whether an event was handled before. */
  has(event: TradeEventFields): boolean {
    if (this.#requestIds.size === 0) return false
    this.#remaining -= 1
    if (this.#remaining < 0) {
      this.#identities.clear()
      this.#requestIds.clear()
      return false
    }
    return this.#requestIds.has(event.requestId) && this.#identities.has(eventIdentity(event))
  }
}
