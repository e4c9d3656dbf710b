/** Bounds a map of issued tokens. */

/** Removes the oldest entries until `most` remain. */
export function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
