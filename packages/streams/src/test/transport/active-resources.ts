/** The resources that keep the process alive, so that a test can check that a transport releases all of them. */

/** Number of resources of each kind: sockets, servers, timers, requests. */
type Resources = ReadonlyMap<string, number>

/** Returns the current resources. */
export function activeResources(): Resources {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Time limit for resources that close by themselves. A test that reaches it has failed. */
const TIMEOUT_MS = 10_000

/** Waits until `done()` is true. @returns `false` after a time limit. */
export async function until(done: () => boolean): Promise<boolean> {
  const end = performance.now() + TIMEOUT_MS
  while (!done()) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setImmediate(resolve))
  }
  return true
}

/** Returns the kinds of resources of which there are more than before, after waiting for their release. */
export async function leakedResources(before: Resources): Promise<readonly string[]> {
  const more = () => [...activeResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0))
  await until(() => more().length === 0)
  return more().map(([kind]) => kind)
}
