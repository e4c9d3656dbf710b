/**
 * A slab allocator for payloads, which are copied because the socket reuses its buffer. Consecutive payloads
 * share one allocation, because a typed array with its own memory costs as much as the rest of a message.
 *
 * A payload that is kept retains its whole slab. {@link SLAB_BYTES} limits the size of a slab, and
 * `messageSize` counts it.
 */

export const SLAB_BYTES = 1024
/** Longer payloads have their own allocation. */
const MAX_SHARED_BYTES = 512

export class SlabAllocator {
  #source: Uint8Array | undefined
  #slab = new Uint8Array(0)
  /** Range of the source that the slab holds. */
  #from = 0
  #to = 0

  /**
   * @param bytes - Must not change between calls that pass the same array. Must be a plain Uint8Array,
   * because `slice` of Node's Buffer does not copy.
   */
  copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
    if (end - start > MAX_SHARED_BYTES) return bytes.slice(start, end)
    if (bytes !== this.#source || start < this.#from || end > this.#to) {
      this.#source = bytes
      this.#slab = bytes.slice(start, start + SLAB_BYTES)
      this.#from = start
      this.#to = start + this.#slab.length
    }
    return this.#slab.subarray(start - this.#from, end - this.#from)
  }
}
