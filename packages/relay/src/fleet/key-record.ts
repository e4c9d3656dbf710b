/** Who has a key, as the store has it: written when a relay takes it, and when it gives it back. */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import { RelayError } from '../relay-error.ts'

/** Who took a key. */
export interface KeyHolder {
  readonly name: string
  readonly incarnation: string
  /** Numbers the takings of an incarnation: what an earlier one has still to say is not of a later one. */
  readonly taking: number
}

/** The record of a key. */
export interface KeyRecord {
  readonly holder: KeyHolder
  readonly state: 'held' | 'released'
  /**
   * Places of connections that nobody uses any more and that the service may still count: with `released` all that were left
   * behind, with `held` those beside the holder's own connections.
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
    const reason = 'no record of a key'
    const message = `what the store has under ${key} was not written by a relay (${reason}): remove it, or give the fleet another name`
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
