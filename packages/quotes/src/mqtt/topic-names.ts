/**
 * Topics as text. A service has a handful of them, and a text for each message would cost more than the rest of reading
 * it: those that came before are compared byte by byte.
 */
import { utf8Decode } from '@brokerwire/core/internal'

/** More topics than that are read anew each time. */
const MAX_KNOWN = 32
/** Longer ones too. */
const MAX_KNOWN_BYTES = 64

/** A NUL and the wildcards (4.7.1) do not stand in the topic of a message. */
const FORBIDDEN = ['\0', '+', '#'] as const

interface KnownTopic {
  readonly bytes: Uint8Array
  readonly text: string
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false
  for (let at = 0; at < length; at += 1) if (known[at] !== bytes[start + at]) return false
  return true
}

/** The topics of one connection. */
export class TopicNames {
  readonly #known: KnownTopic[] = []

  /** @returns `undefined` where these bytes are no topic of a message. */
  read(bytes: Uint8Array, start: number, end: number): string | undefined {
    const length = end - start
    for (const known of this.#known) if (isSame(known.bytes, bytes, start, length)) return known.text
    const text = length === 0 ? undefined : utf8Decode(bytes.subarray(start, end))
    if (text === undefined || FORBIDDEN.some((character) => text.includes(character))) return undefined
    if (this.#known.length < MAX_KNOWN && length <= MAX_KNOWN_BYTES) {
      // `slice` of Node's buffers makes no copy.
      this.#known.push({ bytes: new Uint8Array(bytes.subarray(start, end)), text })
    }
    return text
  }
}
