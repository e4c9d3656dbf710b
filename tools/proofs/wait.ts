/** Waiting for real processes and servers. */
import { setTimeout as sleep } from 'node:timers/promises'

const STEP_MS = 100

/**
 * Calls `attempt` until it returns a value.
 *
 * @throws After `withinMs`, an error with `what` and the last error of `attempt`.
 */
export async function until<T>(
  what: string,
  attempt: () => T | undefined | Promise<T | undefined>,
  { withinMs = 60_000, everyMs = 10 } = {},
): Promise<T> {
  let last: unknown
  for (const endMs = performance.now() + withinMs; ; await sleep(everyMs)) {
    try {
      const value = await attempt()
      if (value !== undefined) return value
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > endMs)
      throw new Error(`waited ${withinMs} ms for ${what}${last === undefined ? '' : ` (${String(last)})`}`)
  }
}

/** Limit in real time until servers have recovered from a fault on a busy machine. */
const RECOVERY_MS = 300_000

/** Waits until servers have recovered. Calls fail while a cluster has no leader, or a server is down. */
export const recovered = <T>(what: string, attempt: () => Promise<T | undefined>, moreMs = 0): Promise<T> =>
  until(what, attempt, { withinMs: RECOVERY_MS + moreMs, everyMs: 50 })

/**
 * Returns the result of `work`, or `'hangs'` if it does not end within `limitMs`. Time is counted in steps.
 * If a busy machine does not run this process for a while, that time counts as one step.
 */
export async function within<T>(work: Promise<T>, limitMs: number): Promise<T | 'hangs'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'hangs'>((resolve) => {
    let leftMs = limitMs
    timer = setInterval(() => {
      leftMs -= STEP_MS
      if (leftMs <= 0) resolve('hangs')
    }, STEP_MS)
  })
  return Promise.race([work, late]).finally(() => clearInterval(timer))
}
