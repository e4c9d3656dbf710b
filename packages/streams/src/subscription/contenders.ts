/**
 * The trade, position and account streams of this process, by app key and host. The service may grant one such subscription for each
 * app key. A stream that is refused for that reason looks here whether another stream of this process has it.
 */
import type { TradeStreamName } from '../observer.ts'

/** A stream among those that may have the subscription. */
export interface Contender {
  /** Returns the name of another stream that is live. */
  holder(): TradeStreamName | undefined
  /** Takes note of whether this stream is live. */
  setLive(isLive: boolean): void
  /** Removes the stream. */
  leave(): void
}

interface Entry {
  readonly name: TradeStreamName
  readonly onTaken: (by: TradeStreamName) => void
  isLive: boolean
}

const groups = new Map<string, Set<Entry>>()

/**
 * Adds a stream.
 *
 * @param group - App key and host.
 * @param onTaken - Called when another stream becomes live.
 */
export function addContender(
  group: string,
  name: TradeStreamName,
  onTaken: (by: TradeStreamName) => void,
): Contender {
  const entries = groups.get(group) ?? new Set<Entry>()
  const own: Entry = { name, onTaken, isLive: false }
  groups.set(group, entries.add(own))
  const others = (): Entry[] => [...entries].filter((entry) => entry !== own)
  return {
    holder: () => others().find(({ isLive }) => isLive)?.name,
    setLive(isLive) {
      const wasLive = own.isLive
      own.isLive = isLive
      if (isLive && !wasLive) for (const other of others()) other.onTaken(name)
    },
    leave() {
      entries.delete(own)
      if (entries.size === 0 && groups.get(group) === entries) groups.delete(group)
    },
  }
}
