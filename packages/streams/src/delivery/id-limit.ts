/** A limit for the length of ids and positions, because thousands of them are stored. */
import type { StreamNotice } from '../items/notices.ts'
import type { Notify } from './item-output.ts'

type IdField = Extract<StreamNotice, { readonly kind: 'id-too-long' }>['field']

/** Replaces ids that are too long by the empty string. */
export class IdLimit {
  readonly #maxUnits: number
  readonly #notify: Notify

  /** @param maxBytes - The longest id in bytes. Each UTF-16 unit counts two bytes. */
  constructor(maxBytes: number, notify: Notify) {
    this.#maxUnits = Math.floor(maxBytes / 2)
    this.#notify = notify
  }

  /**
   * Returns the id. If the id is too long, adds a notice and returns the empty string, because an empty id is
   * never stored.
   */
  apply(field: IdField, id: string, atMs: number): string {
    if (id.length <= this.#maxUnits) return id
    this.#notify({ type: 'notice', kind: 'id-too-long', atMs, field, bytes: 2 * id.length })
    return ''
  }
}
