/** Look-up of keys on the wire. Some have spaces around them, and some have two spellings. */
import { isRecord } from '@brokerwire/core/internal'
import type { DecodeContext } from '../decode-context.ts'

type Members = Readonly<Record<string, unknown>>

/** Finds the key of an object that matches one of the names. */
export type KeyFinder = (names: readonly string[]) => string | undefined

/**
 * Creates a function that first looks for a key that equals a name, and then for a key that equals a name
 * after its spaces are trimmed.
 */
export function keyFinder(members: Members, keys: readonly string[]): KeyFinder {
  const padded = keys.filter((key) => key !== key.trim())
  return (names) => {
    for (const name of names) if (Object.hasOwn(members, name)) return name
    return padded.length === 0 ? undefined : padded.find((key) => names.includes(key.trim()))
  }
}

/** Returns the key of an object that matches `name`; `undefined` if there is none. */
export function findKey(value: unknown, name: string): string | undefined {
  if (!isRecord(value)) return undefined
  return Object.hasOwn(value, name) ? name : keyFinder(value, Object.keys(value))([name])
}

/**
 * Returns the string in the field `name` of the current value, or the source text of a number in it. Returns
 * the empty string for any other value.
 */
export function nameAt(value: unknown, name: string, { source, path }: DecodeContext): string {
  const key = findKey(value, name)
  const found = key === undefined ? undefined : (value as Members)[key]
  if (typeof found === 'number') return source?.numberAt([...path, key as string]) ?? String(found)
  return typeof found === 'string' ? found : ''
}
