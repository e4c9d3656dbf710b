/** Counts the starts of this program, in a store that all processes of the machine share. */
import { createFileStore } from '@brokerwire/stores/file'

const store = createFileStore({ directory: process.env.BROKERWIRE_STORE ?? '.brokerwire' })

let starts: number
let isWritten: boolean
do {
  const before = await store.get('starts')
  starts = Number(before ?? 0) + 1
  // Writes only if no other process has written in the meantime.
  isWritten = await store.compareAndSet('starts', before, String(starts))
} while (!isWritten)
console.log(`start ${starts}`)
