/** Reads what the processes of a round keep, beside the network that fails for them: nothing of it is ever torn or goes back. */
import { createHash } from 'node:crypto'
import { isStoresError } from '@brokerwire/stores'
import { openStore, type StorePlace } from '../../../packages/client/src/test/store-place.ts'
import { pause } from './troubles.ts'

const EVERY_MS = 10

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Begins to read.
 *
 * @param broken - What is found is added.
 */
export async function watch(place: StorePlace, key: string, counter: string, broken: string[]) {
  const { store, close } = await openStore(place)
  const tokens: string[] = []
  let count = 0
  let isOver = false
  const look = async (): Promise<void> => {
    const text = await store.get(key)
    const record = JSON.parse(text ?? '{"format":1}') as { format?: unknown; current?: { token?: unknown } }
    if (record.format !== 1) broken.push('a record without its format was stored')
    const token = record.current?.token
    if (typeof token === 'string' && tokens.at(-1) !== digestOf(token)) tokens.push(digestOf(token))
    const counted = Number((await store.get(counter)) ?? 0)
    if (!(counted >= count)) broken.push(`the counter went from ${count} to ${counted}`)
    count = counted
  }
  const watching = (async () => {
    while (!isOver) {
      await look().catch((error: unknown) => {
        if (!isStoresError(error, 'STORE_UNAVAILABLE')) broken.push(`not readable: ${String(error)}`)
      })
      await pause(EVERY_MS)
    }
  })()
  return {
    /** @returns The counter. Whoever held the lock last gave it back, or was killed: in `withinMs` it is free. */
    async stop(withinMs: number): Promise<number> {
      isOver = true
      await watching
      await look()
      const lock = await store.lock?.(key, { signal: AbortSignal.timeout(withinMs) })
      await lock?.release()
      await close()
      if (new Set(tokens).size !== tokens.length) broken.push('a token was stored again that was replaced')
      return count
    },
  }
}
