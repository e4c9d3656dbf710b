/**
 * Checks of arguments that all drivers share. Without them, a store could accept a number and return a string
 * later.
 */
import type { AbortSignalLike, StoreWaitOptions } from '@brokerwire/core'
import { readOptions, signal, string, typeName } from '@brokerwire/core/internal'
import { optionFailure } from './stores-error.ts'

/** Checks that a key is a non-empty string, and returns it. */
export function checkKey(key: unknown): string {
  return string()(key, 'key', optionFailure)
}

/** Checks that a value is `undefined` or a string, which may be empty, and returns it. */
export function checkValue(name: 'expected' | 'next', value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw optionFailure(name, 'a string or undefined', typeName(value))
}

/** Returns the signal that ends the wait for a lock. */
export function readWaitSignal(given: StoreWaitOptions = {}): AbortSignalLike | undefined {
  return readOptions(optionFailure, given, { signal }).signal
}
