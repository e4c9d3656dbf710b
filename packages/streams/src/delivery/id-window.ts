/** The ids of the last events of one event type: how the module stream knows a repeat. */

/** Remembers ids, up to a bound; the oldest go first. */
export interface IdWindow {
  /** @returns Whether the id is new. An empty id names nothing: always new. */
  add(id: string): boolean
}

/** Makes a window. @param known - Ids that count as seen. */
export function createIdWindow(maxIds: number, known: readonly string[] = []): IdWindow {
  const ids = new Set<string>(known)
  return {
    add(id) {
      if (id === '') return true
      if (ids.has(id)) return false
      ids.add(id)
      if (ids.size > maxIds) {
        const [oldest] = ids
        if (oldest !== undefined) ids.delete(oldest)
      }
      return true
    },
  }
}
