/**
 * How the shorter examples end where they cannot go on: the code and the message, and status 1. Both are safe to print, and so
 * is what lies under them: no error of the toolkit holds a secret, a token or a stored text. A defect keeps its stack.
 */
import { isBrokerwireError } from '@brokerwire/core'
import { SettingError } from './settings.ts'

/** Prints an error and ends the process. @throws What is neither the toolkit's nor a missing setting. */
export function endWith(error: unknown): never {
  if (error instanceof SettingError) console.error(error.message)
  else if (isBrokerwireError(error)) {
    console.error(`${error.code}: ${error.message}`)
    if (isBrokerwireError(error.cause)) console.error(`${error.cause.code}: ${error.cause.message}`)
  } else throw error
  process.exit(1)
}
