/**
 * The streams of the trade service in this process, by app key and host. The service may grant only one such
 * subscription for each app key. If a stream was refused for that reason, this module shows whether another
 * stream of this process has the subscription.
 */
import type { TradeStreamName } from '../observer.ts'
import type { SupervisorState } from '../supervisor/machine-types.ts'
import type { ServiceTarget } from './connection.ts'

/** One stream of a group that competes for a subscription. */
export interface Contender {
  /** Returns the name of another live stream of the group; `undefined` if no other stream is live. */
  holder(): TradeStreamName | undefined
  /** Records the phase of this stream. If it is `live`, calls `onContenderLive` of the waiting streams. */
  setPhase(phase: SupervisorState['phase']): void
  /** Removes this stream from its group. */
  remove(): void
}

interface Entry {
  readonly name: TradeStreamName
  readonly onContenderLive: (name: TradeStreamName) => void
  isLive: boolean
}

/** The streams of one app key and host. */
interface Group {
  readonly entries: Set<Entry>
  /** The streams that wait for their next attempt. Usually empty, so that a live stream notifies few others. */
  readonly waiting: Set<Entry>
}

const groups = new Map<string | ServiceTarget, Group>()

/**
 * Adds a stream to a group.
 *
 * @param key - App key and host; the `ServiceTarget` if only a transport of the caller knows the address.
 * @param onContenderLive - Called when another stream of the group becomes live while this one waits for its next attempt.
 */
export function addContender(
  key: string | ServiceTarget,
  name: TradeStreamName,
  onContenderLive: (name: TradeStreamName) => void,
): Contender {
  const group = groups.get(key) ?? { entries: new Set(), waiting: new Set() }
  const { entries, waiting } = group
  const entry: Entry = { name, onContenderLive, isLive: false }
  entries.add(entry)
  groups.set(key, group)
  return {
    holder() {
      for (const other of entries) if (other !== entry && other.isLive) return other.name
      return undefined
    },
    setPhase(phase) {
      if (phase === 'waiting') waiting.add(entry)
      else waiting.delete(entry)
      entry.isLive = phase === 'live'
      if (entry.isLive) for (const other of [...waiting]) other.onContenderLive(name)
    },
    remove() {
      entries.delete(entry)
      waiting.delete(entry)
      if (entries.size === 0 && groups.get(key) === group) groups.delete(key)
    },
  }
}
