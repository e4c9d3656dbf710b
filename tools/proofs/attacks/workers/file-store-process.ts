/**
 * One of the processes of the attack on the file store: `file-store-process DIRECTORY SEED ROUNDS`.
 *
 * It counts up under a key by compare-and-set, and under another inside the lock, and prints a line for each thing that
 * it knows to have happened: what it had not printed when it was killed may have happened or not.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSeededRandom } from '@brokerwire/core/testing'
import { createFileStore } from '@brokerwire/stores/file'

const [directory = '', seed = '0', rounds = '0'] = process.argv.slice(2)
const store = createFileStore({ directory })
const random = createSeededRandom(Number(seed))
const witness = join(directory, '..', 'witness')

/** In one piece: a line of a process that is killed is printed or not. */
const say = (line: string): void => {
  writeFileSync(1, `${line}\n`)
}

/** A text whose length and content say whether it is whole. */
const textOf = (count: number): string => `${count} ${'x'.repeat(count % 977)}`
function countOf(text: string | undefined): number {
  if (text === undefined) return 0
  const count = Number(text.split(' ')[0])
  if (text !== textOf(count)) say(`broken a torn text was read: ${text.slice(0, 40)}`)
  return count
}

for (let round = 0; round < Number(rounds); round += 1) {
  const draw = random()
  if (draw < 0.5) {
    const before = await store.get('compared')
    const next = countOf(before) + 1
    say('sending compared')
    say((await store.compareAndSet('compared', before, textOf(next))) ? 'did compared' : 'lost compared')
  } else if (draw < 0.9) {
    const lock = await store.lock?.('locked')
    // Only another one that is inside at this moment could have left it there: the dead take it along (see the parent).
    try {
      writeFileSync(witness, String(process.pid), { flag: 'wx' })
    } catch {
      say('inside with another')
    }
    const before = await store.get('locked')
    say('sending locked')
    const isDone = await store.compareAndSet('locked', before, textOf(countOf(before) + 1))
    say(isDone ? 'did locked' : 'broken another wrote what is written under the lock alone')
    rmSync(witness, { force: true })
    await lock?.release()
  } else {
    countOf(await store.get('compared'))
    countOf(await store.get('locked'))
    say('did read')
  }
}
say('done')
