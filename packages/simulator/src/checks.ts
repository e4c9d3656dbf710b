/**
 * Core's checks of options and arguments, with the wrong value in the message where it can be no secret: a number, `true`
 * or `false`, and where one of a list of names or a path was expected, what looks like names. Any other text is said to be
 * one, and not shown, as everywhere in the toolkit.
 */
import {
  readOneOf as coreOneOf,
  requireText as coreText,
  describe,
  type OptionFailure,
} from '@brokerwire/core/internal'

export { readBoolean, readInteger } from '@brokerwire/core/internal'

/** Longer ones are keys, tokens and account ids. */
const NAME = /^[\w.-]{1,24}$/

/** What a wrong value looks like: numbers, `true` and `false` as they are, anything else as its kind. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return describe(value)
}

/** The same where one of a list of names was expected: what looks like a name is shown, too. */
export function shownName(value: unknown): string {
  return typeof value === 'string' && NAME.test(value) ? `'${value}'` : shown(value)
}

/** The same where a path was expected, whose parts are names. A query may hold anything. */
export function shownPath(value: unknown): string {
  const isPath = typeof value === 'string' && value !== '' && value.split('/').every(isPart)
  return isPath ? `'${value}'` : shown(value)
}

const isPart = (part: string): boolean => part === '' || NAME.test(part.replace(/^:/, ''))

const showing =
  (fail: OptionFailure, text: string): OptionFailure =>
  (option, expected) =>
    fail(option, expected, text)

/** One of the listed texts, or the default where it is `undefined`. */
export const readOneOf: typeof coreOneOf = (fail, option, value, allowed, fallback) =>
  coreOneOf(showing(fail, shownName(value)), option, value, allowed, fallback)

/** A non-empty text. */
export const requireText: typeof coreText = (fail, option, value) =>
  coreText(showing(fail, shown(value)), option, value)
