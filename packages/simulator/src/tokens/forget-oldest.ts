/** Keeps a map of issued tokens bounded. */

/** Removes the entries that were set first, until `most` are left. */
export function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
