/** One of several processes that want a state file at once, in rounds: tells whether it got the lock, and gives it back when asked. */
import { lockState } from '../../../packages/simulator/src/state/state-lock.ts'

let unlock: (() => void) | undefined

process.on('message', (message: { readonly lock?: string }) => {
  if (message.lock === undefined) {
    unlock?.()
    unlock = undefined
    process.send?.('opened')
    return
  }
  try {
    unlock = lockState(message.lock)
    process.send?.('held')
  } catch (error) {
    process.send?.(String(error))
  }
})
process.send?.('ready')
