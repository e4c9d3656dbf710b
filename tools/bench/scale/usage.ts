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
    // V8 returns the memory that the first collection frees to the system a little later.
    for (let round = 0; round < 2; round += 1) {
      collectGarbage()
      await delay(SETTLE_MS)
    }
    return process.memoryUsage.rss()
  },
}
