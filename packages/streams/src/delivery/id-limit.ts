/** Limits the ids and positions that are remembered, because thousands of them are. */
import type { StreamNotice } from '../items/notices.ts'
import type { Notify } from './item-output.ts'

type IdField = Extract<StreamNotice, { readonly kind: 'id-too-long' }>['field']

export class IdLimit {
  readonly #maxUnits: number
  readonly #notify: Notify

  /** @param maxBytes - At two bytes a UTF-16 unit. */
  constructor(maxBytes: number, notify: Notify) {
    this.#maxUnits = Math.floor(maxBytes / 2)
    this.#notify = notify
  }

  /** Returns the id. If it is too long, returns the empty text, which is never remembered, and reports that in a notice. */
  apply(field: IdField, id: string, atMs: number): string {
    if (id.length <= this.#maxUnits) return id
    this.#notify({ type: 'notice', kind: 'id-too-long', atMs, field, bytes: 2 * id.length })
    return ''
  }
}
