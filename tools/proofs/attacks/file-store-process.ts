/**
 * A process of the attack on the file store: `file-store-process DIRECTORY SEED ROUNDS`. It increments one
 * counter by compare-and-set, and another counter while it has the lock. It prints a line after each action.
 * If a process is killed before it has printed the line, its action may have happened or not.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSeededRandom } from '@brokerwire/core/testing'
import { createFileStore } from '@brokerwire/stores/file'

const [directory = '', seed = '0', rounds = '0'] = process.argv.slice(2)
const store = createFileStore({ directory })
const random = createSeededRandom(Number(seed))
const marker = join(directory, '..', 'marker')

/** Writes synchronously, so that the line of a killed process is printed completely or not at all. */
const print = (line: string): void => writeFileSync(1, `${line}\n`)

/** A value whose length shows whether it is complete. */
const textOf = (count: number): string => `${count} ${'x'.repeat(count % 977)}`
function countOf(text: string | undefined): number {
  if (text === undefined) return 0
  const count = Number(text.split(' ')[0])
  if (text !== textOf(count)) print(`broken a torn text was read: ${text.slice(0, 40)}`)
  return count
}

for (let round = 0; round < Number(rounds); round += 1) {
  const draw = random()
  if (draw < 0.5) {
    const before = await store.get('compared')
    const next = countOf(before) + 1
    print('sending compared')
    print((await store.compareAndSet('compared', before, textOf(next))) ? 'did compared' : 'lost compared')
  } else if (draw < 0.9) {
    const lock = await store.lock?.('locked')
    // The file exists only if another process has the lock too. The parent process removes the file of a
    // killed process.
    try {
      writeFileSync(marker, String(process.pid), { flag: 'wx' })
    } catch {
      print('another process has the lock too')
    }
    const before = await store.get('locked')
    print('sending locked')
    const isDone = await store.compareAndSet('locked', before, textOf(countOf(before) + 1))
    print(isDone ? 'did locked' : 'broken another process wrote a key that is only written under the lock')
    rmSync(marker, { force: true })
    await lock?.release()
  } else {
    countOf(await store.get('compared'))
    countOf(await store.get('locked'))
    print('did read')
  }
}
print('done')
