/**
 * Core's checks of options and arguments, with the wrong value in the message: nothing that is checked here is a secret,
 * and whoever wrote `'APPL'` in a test sees it at once.
 */
import {
  readBoolean as coreBoolean,
  readInteger as coreInteger,
  readOneOf as coreOneOf,
  requireText as coreText,
  describe,
  type OptionFailure,
  printable,
} from '@brokerwire/core'

const MAX_SHOWN = 80

/** What a wrong value looks like: short texts, numbers, `true` and `false` as they are, anything else as its kind. */
export function shown(value: unknown): string {
  if (typeof value === 'string' && value !== '') return `'${printable(value, MAX_SHOWN)}'`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return describe(value)
}

const showing =
  (fail: OptionFailure, value: unknown): OptionFailure =>
  (option, expected) =>
    fail(option, expected, shown(value))

/** A whole number within bounds, or the default where it is `undefined`. */
export const readInteger: typeof coreInteger = (fail, option, value, bounds) =>
  coreInteger(showing(fail, value), option, value, bounds)

/** `true` or `false`, or the default where it is `undefined`. */
export const readBoolean: typeof coreBoolean = (fail, option, value, fallback) =>
  coreBoolean(showing(fail, value), option, value, fallback)

/** One of the listed texts, or the default where it is `undefined`. */
export const readOneOf: typeof coreOneOf = (fail, option, value, allowed, fallback) =>
  coreOneOf(showing(fail, value), option, value, allowed, fallback)

/** A non-empty text. */
export const requireText: typeof coreText = (fail, option, value) =>
  coreText(showing(fail, value), option, value)
