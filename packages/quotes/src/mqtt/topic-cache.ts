/**
 * A cache of topics. The bytes of a topic are compared with those of known topics, because a new string for
 * each message would cost more than the rest of its decoding. A service has only a few topics.
 */
import { utf8Decode } from '@brokerwire/core/internal'

/** Most cached topics. */
const MAX_CACHED = 32
/** Longest cached topic. */
const MAX_CACHED_BYTES = 64

/** Characters that the topic of a message must not contain: NUL and the wildcards (4.7.1). */
const FORBIDDEN = ['\0', '+', '#'] as const

interface CachedTopic {
  readonly bytes: Uint8Array
  readonly topic: string
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false
  for (let at = 0; at < length; at += 1) if (known[at] !== bytes[start + at]) return false
  return true
}

/** The topics of one connection. */
export class TopicCache {
  readonly #known: CachedTopic[] = []

  /** @returns `undefined` if the bytes are not a valid topic. */
  decode(bytes: Uint8Array, start: number, end: number): string | undefined {
    const length = end - start
    for (const known of this.#known) if (isSame(known.bytes, bytes, start, length)) return known.topic
    const topic = length === 0 ? undefined : utf8Decode(bytes.subarray(start, end))
    if (topic === undefined || FORBIDDEN.some((character) => topic.includes(character))) return undefined
    if (this.#known.length < MAX_CACHED && length <= MAX_CACHED_BYTES) {
      // `new Uint8Array` makes a copy. `slice` of Node's Buffer would make a view.
      this.#known.push({ bytes: new Uint8Array(bytes.subarray(start, end)), topic })
    }
    return topic
  }
}
