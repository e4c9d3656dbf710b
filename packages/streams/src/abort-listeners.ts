/** One signal for many streams is ordinary use: Node's warning of a leak after ten listeners would be a false alarm. */
import { setMaxListeners } from 'node:events'
import { readSignal as readOption } from '@brokerwire/core'
import { optionInvalid } from './streams-error.ts'

/** Node's `fetch` allows as many. */
const MANY = 1500

/** Lets many streams listen to a caller's signal. */
export function allowManyListeners(signal: AbortSignal | undefined): void {
  if (signal instanceof EventTarget) setMaxListeners(MANY, signal)
}

/** Checks the option `signal`. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function readSignal(given: AbortSignal | undefined): AbortSignal | undefined {
  const signal = readOption(optionInvalid, given)
  allowManyListeners(signal)
  return signal
}
