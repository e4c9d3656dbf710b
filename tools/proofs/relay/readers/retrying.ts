/** Reads of servers that fail and come back. */
import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 50

/** Repeats `work` while the server is away. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch {
      await sleep(RETRY_MS)
    }
  }
}
