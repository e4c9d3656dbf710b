/** The record of an app's holder in the store, written when a relay acquires or releases the app. */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import { stateInvalid } from '../relay-error.ts'

/** The relay that acquired an app. */
export interface AppHolder {
  readonly name: string
  readonly incarnation: string
  /** Counts the acquisitions of an incarnation, so that a late write of an earlier one is recognized. */
  readonly acquisition: number
}

/** The record of an app. */
export interface AppRecord {
  readonly holder: AppHolder
  readonly state: 'held' | 'released'
  /**
   * The number of connections that have ended and that the service may still count. In the state `held`, it
   * does not include the open connections of the holder.
   */
  readonly lingering: number
}

/** Parses a record. @throws RelayError `RELAY_STATE_INVALID`. */
export function parseAppRecord(storeKey: string, text: string): AppRecord {
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
  if (!isValid) throw stateInvalid(storeKey, 'not a record of an app', value?.v)
  const { name, incarnation, taking } = holder
  return {
    holder: { name: String(name), incarnation: String(incarnation), acquisition: Number(taking) },
    state: value.state === 'held' ? 'held' : 'released',
    lingering: Number(value.lingering),
  }
}

/** Serializes a record. In the store, `acquisition` is called `taking`. */
export function serializeAppRecord({ holder, state, lingering }: AppRecord): string {
  const { name, incarnation, acquisition: taking } = holder
  return JSON.stringify({ v: 1, holder: { name, incarnation, taking }, state, lingering })
}
