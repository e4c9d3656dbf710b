/** Checks of arguments that all drivers share: a store that accepted a number would return a string later. */
import type { AbortSignalLike, StoreWaitOptions } from '@brokerwire/core'
import { readOptions, signal, string, typeName } from '@brokerwire/core/internal'
import { optionFailure } from './stores-error.ts'

/** A key: any non-empty string. */
export function checkKey(key: unknown): string {
  return string()(key, 'key', optionFailure)
}

/** A value: any string, including the empty one, or `undefined`. */
export function checkValue(name: 'expected' | 'next', value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw optionFailure(name, 'a string or undefined', typeName(value))
}

/** The signal that ends the wait for a lock. */
export function readWaitSignal(given: StoreWaitOptions = {}): AbortSignalLike | undefined {
  return readOptions(optionFailure, given, { signal }).signal
}
