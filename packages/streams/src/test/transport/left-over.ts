/** What keeps the process alive, so that a test can tell that nothing of it is left. */

/** How many there are of each kind: sockets, servers, timers, requests. */
type Resources = ReadonlyMap<string, number>

/** Those of now. */
export function activeResources(): Resources {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Long enough for what closes by itself; a test that waits so long has failed. */
const PATIENCE_MS = 10_000

/** Turns the event loop until `done`. @returns Whether it came to that. */
export async function until(done: () => boolean): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS
  while (!done()) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setImmediate(resolve))
  }
  return true
}

/** Kinds that there are more of than before, once everything had its time to go. */
export async function leftOver(before: Resources): Promise<readonly string[]> {
  const more = () => [...activeResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0))
  await until(() => more().length === 0)
  return more().map(([kind]) => kind)
}
