/** A process that writes a stream of files as fast as it can, and prints the acknowledged sequences. For a test that kills it. */
import { createFileStore } from '@brokerwire/stores/file'
import { createFileSink } from '../sink/file-sink.ts'
import { entries } from './entries.ts'

const [directory = '', maxFileBytes = ''] = process.argv.slice(2)
const store = createFileStore({ directory: `${directory}/state` })
const sink = createFileSink({
  directory: `${directory}/events`,
  name: 'desk',
  store,
  maxFileBytes: Number(maxFileBytes),
  maxFiles: 10_000,
})
/** Retries while the lock of a killed process is valid. */
const open = async (): Promise<number> => {
  for (;;) {
    try {
      return (await sink.tail({ maxEntries: 0 })).sequence
    } catch (error) {
      if (!(error instanceof Error) || !('retryable' in error) || error.retryable !== true) throw error
    }
  }
}
let next = (await open()) + 1
for (;;) {
  const size = 1 + (next % 40)
  const batch = entries(next, next + size - 1)
  next += size
  const { sequence } = await sink.publish(batch)
  process.stdout.write(`${sequence}\n`)
}
