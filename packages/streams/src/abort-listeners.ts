/** One signal for many streams is ordinary use: Node's warning of a leak after ten listeners would be a false alarm. */
import { setMaxListeners } from 'node:events'
import { describe, isRecord } from '@brokerwire/core'
import { optionInvalid } from './streams-error.ts'

/** Node's `fetch` allows as many. */
const MANY = 1500

/** Lets many streams listen to a caller's signal. */
export function allowManyListeners(signal: AbortSignal | undefined): void {
  if (signal instanceof EventTarget) setMaxListeners(MANY, signal)
}

/** Checks the option `signal`. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function readSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  const value: unknown = signal
  if (value !== undefined && !(isRecord(value) && typeof value.addEventListener === 'function')) {
    throw optionInvalid('signal', 'an AbortSignal', describe(value))
  }
  allowManyListeners(signal)
  return signal
}
