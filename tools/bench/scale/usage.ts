/** CPU time and memory of this process, as commands of the measured programs. */
import { setTimeout as delay } from 'node:timers/promises'
import { collectGarbage } from '../rounds.ts'

const SETTLE_MS = 250

export const usage = {
  /** Microseconds of CPU time since the process started. */
  cpu(): number {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  /** @returns Resident bytes after a garbage collection. */
  async rss(): Promise<number> {
    // After a collection, V8 takes a while to return the freed memory to the system. Therefore each
    // collection is followed by a pause.
    for (let round = 0; round < 2; round += 1) {
      collectGarbage()
      await delay(SETTLE_MS)
    }
    return process.memoryUsage.rss()
  },
}
