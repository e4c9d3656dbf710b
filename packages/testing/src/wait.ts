/** Waits for conditions that no event reports. */

const INTERVAL_MS = 2

/** Waits for a short time, so that a loop leaves CPU time to other processes. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))

/** Calls the condition repeatedly until it is true. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause()
}
