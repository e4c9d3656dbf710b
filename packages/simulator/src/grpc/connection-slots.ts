/**
 * Counts the event connections of an app key. A slot may stay used after its connection was lost, as on the
 * service. A client that reconnects immediately then competes with its own lost connections.
 */

/** Connection slots of all app keys. */
export interface ConnectionSlots {
  /** Acquires a slot. @returns Whether one was free. */
  acquire(appKey: string, nowMs: number): boolean
  /** @param lost - Whether the connection broke. If not, the service closed it. */
  release(appKey: string, lost: boolean, nowMs: number): void
  /** Number of used slots, including those of lost connections that still count. */
  taken(appKey: string, nowMs: number): number
}

/** Limits of {@link createConnectionSlots}. */
export interface SlotRules {
  readonly maxConnections: number
  readonly slotLingerMs: number
}

/** Creates slots, all free. */
export function createConnectionSlots(rules: SlotRules): ConnectionSlots {
  const open = new Map<string, number>()
  const lingering = new Map<string, readonly number[]>()
  const taken = (appKey: string, nowMs: number): number => {
    const still = (lingering.get(appKey) ?? []).filter((untilMs) => untilMs > nowMs)
    lingering.set(appKey, still)
    return (open.get(appKey) ?? 0) + still.length
  }
  return {
    taken,
    acquire(appKey, nowMs) {
      if (taken(appKey, nowMs) >= rules.maxConnections) return false
      open.set(appKey, (open.get(appKey) ?? 0) + 1)
      return true
    },
    release(appKey, lost, nowMs) {
      open.set(appKey, (open.get(appKey) ?? 1) - 1)
      if (!lost || rules.slotLingerMs === 0) return
      lingering.set(appKey, [...(lingering.get(appKey) ?? []), nowMs + rules.slotLingerMs])
    },
  }
}
