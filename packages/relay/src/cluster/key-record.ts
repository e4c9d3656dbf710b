/** The record of a key's holder in the store, written when a relay acquires or releases the key. */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import { RelayError } from '../relay-error.ts'

/** The relay that acquired a key. */
export interface KeyHolder {
  readonly name: string
  readonly incarnation: string
  /** Counts the acquisitions of an incarnation, so that a late write of an earlier one is recognized. */
  readonly taking: number
}

/** The record of a key. */
export interface KeyRecord {
  readonly holder: KeyHolder
  readonly state: 'held' | 'released'
  /**
   * The number of connections that have ended and that the service may still count. With `held`: without the open connections of
   * the holder.
   */
  readonly lingering: number
}

/** @throws RelayError `RELAY_STATE_INVALID`. */
export function parseKeyRecord(key: string, text: string): KeyRecord {
  const value = parseJsonObject(text)
  const holder = value?.holder
  const isValid =
    value?.v === 1 &&
    isRecord(holder) &&
    typeof holder.name === 'string' &&
    typeof holder.incarnation === 'string' &&
    Number.isSafeInteger(holder.taking) &&
    (value.state === 'held' || value.state === 'released') &&
    Number.isSafeInteger(value.lingering)
  if (!isValid) {
    const reason = 'not a record of a key'
    const message = `store key ${key} must have a value that a relay wrote; received ${reason}. Remove it, or give the cluster another name.`
    throw new RelayError('RELAY_STATE_INVALID', message, { details: { key, reason } })
  }
  const { name, incarnation, taking } = holder
  const state = value.state === 'held' ? 'held' : 'released'
  return {
    holder: { name: String(name), incarnation: String(incarnation), taking: Number(taking) },
    state,
    lingering: Number(value.lingering),
  }
}

export function serializeKeyRecord({ holder, state, lingering }: KeyRecord): string {
  return JSON.stringify({ v: 1, holder, state, lingering })
}
