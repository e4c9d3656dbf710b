/** One of several processes that try to lock the same state file. */

import { serveCalls } from '@brokerwire/testing/child-calls'
import { lockState } from '../../../packages/simulator/src/state/state-lock.ts'

let unlock: (() => void) | undefined

const commands = {
  /** @returns `'held'`, or the reason why the file is not locked. */
  lock(file: string): string {
    try {
      unlock = lockState(file)
      return 'held'
    } catch (error) {
      return String(error)
    }
  },
  unlock(): void {
    unlock?.()
    unlock = undefined
  },
}

export type LockCommands = typeof commands

serveCalls(commands)
