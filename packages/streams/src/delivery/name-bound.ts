/**
 * A bound for names: ids, positions, event types. What is longer is delivered and told, and neither remembered nor
 * stored: one name of megabytes would otherwise be kept thousands of times.
 */
import type { StreamNotice } from '../items/notices.ts'

/** Fields that name something. */
export type NameField = Extract<StreamNotice, { readonly kind: 'name-too-long' }>['field']

/** Keeps names within the bound. */
export class NameBound {
  readonly #maxUnits: number
  readonly #notify: (notice: StreamNotice) => void

  /** @param maxBytes - Two bytes a UTF-16 unit. */
  constructor(maxBytes: number, notify: (notice: StreamNotice) => void) {
    this.#maxUnits = Math.floor(maxBytes / 2)
    this.#notify = notify
  }

  /** @returns The name, or the empty one that names nothing, after a notice. */
  bounded(field: NameField, name: string, atMs: number): string {
    if (name.length <= this.#maxUnits) return name
    this.#notify({ type: 'notice', kind: 'name-too-long', atMs, field, bytes: 2 * name.length })
    return ''
  }
}
