/**
 * Counts the event connections of an app key. A slot may stay used for some time after its connection was
 * lost, as on the service. If a client reconnects immediately, its lost connections therefore still count
 * towards its limit.
 */

/** Connection slots of all app keys. */
export interface ConnectionSlots {
  /** Acquires a slot. @returns Whether a slot was free. */
  acquire(appKey: string, nowMs: number): boolean
  /** @param lost - Whether the slot stays used for `slotLingerMs`, as after a lost connection. */
  release(appKey: string, lost: boolean, nowMs: number): void
  /** Returns the number of used slots, including those of lost connections that still count. */
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
