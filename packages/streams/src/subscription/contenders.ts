/**
 * The streams of the trade service in this process, by app key and host. The service may grant only one such
 * subscription for each app key. If a stream was refused for that reason, this module shows whether another
 * stream of this process has the subscription.
 */
import type { TradeStreamName } from '../observer.ts'
import type { ServiceTarget } from './connection.ts'

/** One stream of a group that competes for a subscription. */
export interface Contender {
  /** Returns the name of another live stream of the group; `undefined` if no other stream is live. */
  holder(): TradeStreamName | undefined
  /** Records whether this stream is live. */
  setLive(isLive: boolean): void
  /** Removes this stream from its group. */
  remove(): void
}

interface Entry {
  readonly name: TradeStreamName
  readonly onContenderLive: (name: TradeStreamName) => void
  isLive: boolean
}

const groups = new Map<string | ServiceTarget, Set<Entry>>()

/**
 * Adds a stream to a group.
 *
 * @param group - App key and host; the `ServiceTarget` if only a transport of the caller knows the address.
 * @param onContenderLive - Called when another stream of the group becomes live.
 */
export function addContender(
  group: string | ServiceTarget,
  name: TradeStreamName,
  onContenderLive: (name: TradeStreamName) => void,
): Contender {
  const entries = groups.get(group) ?? new Set<Entry>()
  const entry: Entry = { name, onContenderLive, isLive: false }
  groups.set(group, entries.add(entry))
  return {
    holder() {
      for (const other of entries) if (other !== entry && other.isLive) return other.name
      return undefined
    },
    setLive(isLive) {
      const wasLive = entry.isLive
      entry.isLive = isLive
      if (!isLive || wasLive) return
      for (const other of entries) if (other !== entry) other.onContenderLive(name)
    },
    remove() {
      entries.delete(entry)
      if (entries.size === 0 && groups.get(group) === entries) groups.delete(group)
    },
  }
}
