/** Messages for invalid options: `<option> must be <expected>; received <received>`. */
import { typeName } from '../guards.ts'
import { didYouMean } from './did-you-mean.ts'

/**
 * A function that creates a package's error for an invalid option.
 *
 * @param message - The complete message. Default: {@link optionMessage} of the other arguments.
 */
export type OptionFailure = (
  option: string,
  expected: string,
  received: string,
  message?: string | undefined,
) => Error

/** Returns the default message for an invalid option. */
export const optionMessage = (option: string, expected: string, received: string): string =>
  `${option} must be ${expected}; received ${received}`

/**
 * Returns the received value, for a message. Numbers and booleans are shown. A string is not shown, because
 * it may be a secret.
 */
export const received = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeName(value)

/**
 * Names that messages may show, because they are too short for a secret of the service and contain no control
 * characters.
 */
const SHORT_NAME = /^[\w$./-]{1,28}$/

/** Returns a name for a message; `?` if the name may be a secret. */
export const shownName = (name: string): string => (SHORT_NAME.test(name) ? name : '?')

/** Returns the received value of an option that must be one of a few names. Short names are shown. */
export const receivedName = (value: unknown): string =>
  typeof value === 'string' && SHORT_NAME.test(value) ? `"${value}"` : received(value)

/** Creates the error for a value that is not one of `names`. The message suggests the most similar name. */
export function wrongName(
  fail: OptionFailure,
  option: string,
  value: unknown,
  names: readonly string[],
): Error {
  const expected = names.map((name) => `"${name}"`).join(' or ')
  const shown = receivedName(value)
  const nearest = typeof value === 'string' ? didYouMean(value.slice(0, 40), names) : undefined
  const message = optionMessage(option, expected, shown)
  return fail(option, expected, shown, nearest && `${message}. Did you mean "${nearest}"?`)
}

/**
 * Creates the error for a value that is not a string of a certain form. If the value is a string that is not
 * shown, the message omits `received a string`, which would not help.
 *
 * @param isName - Whether a short string is shown.
 */
export function wrongText(
  fail: OptionFailure,
  option: string,
  expected: string,
  value: unknown,
  isName = false,
): Error {
  const shown = isName ? receivedName(value) : received(value)
  const isHidden = typeof value === 'string' && shown === typeName('text')
  return fail(option, expected, shown, isHidden ? `${option} must be ${expected}` : undefined)
}

/**
 * Creates the error for an unknown option. The message suggests the most similar known option.
 *
 * @param parent - Name of the parent object with a dot at its end.
 */
export function unknownOption(
  fail: OptionFailure,
  parent: string,
  given: string,
  names: readonly string[],
): Error {
  const name = shownName(given)
  const option = parent + name
  const message = `unknown option "${option}". ${knownNames('options', name, names)}`
  return fail(option, `one of ${names.join(', ')}`, 'an unknown option', message)
}

/**
 * Returns the end of a message about an unknown name: the most similar known name, or all known names.
 *
 * @param kind - Word for the names, in the plural.
 */
export function knownNames(kind: string, name: string, names: readonly string[]): string {
  const nearest = didYouMean(name, names)
  return nearest ? `Did you mean "${nearest}"?` : `The ${kind} are ${names.join(', ') || 'none'}`
}

/**
 * Creates the error for options that are missing.
 *
 * @param parent - Name of the parent object with a dot at its end.
 * @param kind - Word for the options in the message, in the plural.
 */
export function missingOptions(
  fail: OptionFailure,
  parent: string,
  names: readonly string[],
  kind = 'options',
): Error {
  const [first = '', ...others] = names.map((name) => parent + name)
  const expected = others.length === 0 ? 'set' : `set, as ${others.join(', ')}`
  return fail(first, expected, 'undefined', `missing ${kind}: ${[first, ...others].join(', ')}`)
}
