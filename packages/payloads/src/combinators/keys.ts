/** Keys as the wire has them: some come with spaces around them, some in two spellings. */
import { isRecord } from '@brokerwire/core/internal'
import type { DecodeContext } from '../decode-context.ts'

type Members = Readonly<Record<string, unknown>>

/** Finds the key of an object that stands for one of the names. */
export type KeyFinder = (names: readonly string[]) => string | undefined

/** Exact names first, in their order; then keys that are one of the names once they are trimmed. */
export function keyFinder(members: Members, keys: readonly string[]): KeyFinder {
  const padded = keys.filter((key) => key !== key.trim())
  return (names) =>
    names.find((name) => Object.hasOwn(members, name)) ?? padded.find((key) => names.includes(key.trim()))
}

/** The key of an object that stands for `name`. */
export function findKey(value: unknown, name: string): string | undefined {
  if (!isRecord(value)) return undefined
  return Object.hasOwn(value, name) ? name : keyFinder(value, Object.keys(value))([name])
}

/** The text or the source text of the number under a name of what is read now; of anything else the empty text. */
export function nameAt(value: unknown, name: string, { source, path }: DecodeContext): string {
  const key = findKey(value, name)
  const found = key === undefined ? undefined : (value as Members)[key]
  if (typeof found === 'number') return source?.numberAt([...path, key as string]) ?? String(found)
  return typeof found === 'string' ? found : ''
}
