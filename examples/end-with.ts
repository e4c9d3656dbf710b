/**
 * The end of the shorter examples after an error: they print its code and message, and exit with status 1. Both are safe to print,
 * and so is the cause: no error of this toolkit has a secret, a token or a stored value. Other errors are thrown with their stack.
 */
import { isBrokerwireError } from '@brokerwire/core'
import { SettingError } from './settings.ts'

/** Prints an error and ends the process. @throws Any error that is neither of this toolkit nor a missing setting. */
export function endWith(error: unknown): never {
  if (error instanceof SettingError) console.error(error.message)
  else if (isBrokerwireError(error)) {
    console.error(`${error.code}: ${error.message}`)
    if (isBrokerwireError(error.cause)) console.error(`${error.cause.code}: ${error.cause.message}`)
  } else throw error
  process.exit(1)
}
