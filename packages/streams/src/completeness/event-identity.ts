/** The identity of an event of the trade service across restarts: its event type, request id and a digest of its payload. */
import { hash } from 'node:crypto'

/**
 * A payload with more UTF-16 units is digested when its event is added, so that up to 64 such payloads do not
 * stay in memory.
 */
const MAX_DEFERRED_UNITS = 16 * 1024
/** The most events in {@link RecentEvents}. */
export const MAX_RECENT_EVENTS = 64

interface EventFields {
  readonly eventType: number
  readonly requestId: string
  readonly payload: string
}

/** Returns the first 128 bits of the SHA-256 as 22 characters of base64url. */
const digest = (payload: string): string => hash('sha256', payload, 'buffer').toString('base64url', 0, 16)

/** Returns the identity in its stored form. */
export function eventIdentity({ eventType, requestId, payload }: EventFields): string {
  return `${eventType}/${digest(payload)}/${requestId}`
}

/** The last handled events. Their identities are computed when they are written, not for each event. */
export class RecentEvents {
  readonly #maxIdUnits: number
  readonly #events: (EventFields | string)[] = []
  #next = 0

  /** @param maxIdBytes - Events with a longer request id are ignored. Each UTF-16 unit counts two bytes. */
  constructor(maxIdBytes: number) {
    this.#maxIdUnits = Math.floor(maxIdBytes / 2)
  }

  /** Adds the stored identities. */
  begin(identities: readonly string[]): void {
    for (const identity of identities) this.#push(identity)
  }

  /** Adds a handled event. */
  add(event: EventFields): void {
    const { eventType, requestId, payload } = event
    // The consumer may have changed the item.
    if (typeof requestId !== 'string' || typeof payload !== 'string') return
    if (requestId === '' || requestId.length > this.#maxIdUnits) return
    this.#push(payload.length > MAX_DEFERRED_UNITS ? eventIdentity(event) : { eventType, requestId, payload })
  }

  /** Returns the identities, oldest first. */
  identities(): string[] {
    const events = this.#events
    for (const [index, event] of events.entries())
      if (typeof event !== 'string') events[index] = eventIdentity(event)
    const oldest = events.length < MAX_RECENT_EVENTS ? 0 : this.#next
    return [...events.slice(oldest), ...events.slice(0, oldest)] as string[]
  }

  #push(event: EventFields | string): void {
    this.#events[this.#next] = event
    this.#next = (this.#next + 1) % MAX_RECENT_EVENTS
  }
}

/** The events that were handled before this stream started. */
export class StoredEvents {
  readonly #identities = new Set<string>()
  readonly #requestIds = new Set<string>()
  /**
   * Number of events that are still compared. After these, the service no longer replays events from before
   * the start.
   */
  #remaining: number

  constructor(maxEvents: number) {
    this.#remaining = maxEvents
  }

  /** Adds stored identities. */
  add(identities: readonly string[]): void {
    for (const identity of identities) {
      const [, , ...requestId] = identity.split('/')
      this.#identities.add(identity)
      this.#requestIds.add(requestId.join('/'))
    }
  }

  /** Whether an event was handled before this stream started. */
  has(event: EventFields): boolean {
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
