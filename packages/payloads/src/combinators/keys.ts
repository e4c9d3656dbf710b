/** Look-up of keys on the wire. Some have spaces around them, and some have two spellings. */
import { isRecord } from '@brokerwire/core/internal'
import type { DecodeContext } from '../decode-context.ts'

type Members = Readonly<Record<string, unknown>>

/** Finds the key of an object that matches one of the names. */
export type KeyFinder = (names: readonly string[]) => string | undefined

/** Creates a function that finds an exact name first, and then a key that equals a name after trimming. */
export function keyFinder(members: Members, keys: readonly string[]): KeyFinder {
  const padded = keys.filter((key) => key !== key.trim())
  return (names) => {
    for (const name of names) if (Object.hasOwn(members, name)) return name
    return padded.length === 0 ? undefined : padded.find((key) => names.includes(key.trim()))
  }
}

/** The key of an object that matches `name`. */
export function findKey(value: unknown, name: string): string | undefined {
  if (!isRecord(value)) return undefined
  return Object.hasOwn(value, name) ? name : keyFinder(value, Object.keys(value))([name])
}

/** The string, or the source text of the number, in the field `name` of the current value; otherwise the empty string. */
export function nameAt(value: unknown, name: string, { source, path }: DecodeContext): string {
  const key = findKey(value, name)
  const found = key === undefined ? undefined : (value as Members)[key]
  if (typeof found === 'number') return source?.numberAt([...path, key as string]) ?? String(found)
  return typeof found === 'string' ? found : ''
}
