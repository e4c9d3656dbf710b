/**
 * What commands get instead of the bare process: standard error takes secrets out of every line and escapes what steers
 * a terminal or begins another line, so that no command has to think of it. Errors quote files, arguments and services.
 */
import { createRedactor, printable } from '@brokerwire/core'
import type { GuardedIo, Io } from './io.ts'
import { SETTINGS } from './settings/settings.ts'

/** What is quoted in a line may be megabytes; the longest path of a system has room. */
const MAX_CHARACTERS = 6000

/** Guards standard error. The secret in the environment is kept from the start. */
export function guardIo(io: Io): GuardedIo {
  const secrets = [io.env[SETTINGS.appSecret.variable] ?? '']
  let redact = createRedactor(secrets)
  const show = (line: string): string => printable(redact(line, MAX_CHARACTERS + 1), MAX_CHARACTERS)
  const { progress } = io
  return {
    ...io,
    keepSecret(secret) {
      secrets.push(secret)
      redact = createRedactor(secrets)
    },
    err(line) {
      // A line of progress stands below, and is drawn again.
      progress?.(undefined)
      io.err(show(line))
    },
    progress: progress && ((text) => progress(text && show(text))),
  }
}
