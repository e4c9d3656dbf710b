/** The ids of the last events of one event type: how the module stream knows a repeat. */

/** Remembers ids, up to a bound; the oldest go first. */
export interface IdWindow {
  /** @returns Whether the id is new. An empty id names nothing: always new. */
  add(id: string): boolean
}

/** Makes a window. @param known - Ids that count as seen. */
export function createIdWindow(maxIds: number, known: readonly string[] = []): IdWindow {
  const ids = new Set<string>()
  // A ring beside the set: to find a set's oldest member anew for each id costs more than all the rest.
  const ring: string[] = []
  let next = 0
  const add = (id: string): boolean => {
    if (id === '') return true
    if (ids.has(id)) return false
    const oldest = ring[next]
    if (oldest !== undefined) ids.delete(oldest)
    ids.add(id)
    ring[next] = id
    next = (next + 1) % maxIds
    return true
  }
  for (const id of known) add(id)
  return { add }
}
