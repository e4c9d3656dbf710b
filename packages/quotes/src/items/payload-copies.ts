/**
 * Copies of payloads, because the socket uses its buffer again. Neighbours stand in one allocation: a typed array with memory of its
 * own costs as much as all the rest of a message.
 *
 * One that is kept keeps its neighbours' bytes: {@link SLAB_BYTES} bounds that, and `messageBytes` counts it.
 */

const SLAB_BYTES = 1024
/** Longer ones have their own. */
const MAX_SHARED_BYTES = 512

export class PayloadCopies {
  #source: Uint8Array | undefined
  #slab = new Uint8Array(0)
  /** What of the source the slab holds. */
  #from = 0
  #to = 0

  /** @param bytes - Says the same as long as it is the same object; no subclass, whose `slice` might copy nothing. */
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
