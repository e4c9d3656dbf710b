/** Bounds a map of issued tokens. */

/** Removes the oldest entries until at most `maxEntries` remain. */
export function evictOldest(map: Map<string, unknown>, maxEntries: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= maxEntries) return
    map.delete(oldest)
  }
}
