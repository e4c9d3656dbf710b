/** Waiting for something that no event announces. */

const INTERVAL_MS = 2

/** A short pause, so that a loop does not keep other processes from the processor. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))

/** Calls the condition again and again until it is true. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause()
}
