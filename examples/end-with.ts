/**
 * Ends the shorter examples after an error: prints the code and the message of the error, and exits with
 * status 1. Code, message and cause are safe to print, because no error of this toolkit has a secret, a token
 * or a stored value. Other errors are thrown with their stack.
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
