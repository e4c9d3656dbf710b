/**
 * The process as commands get it: standard error takes secrets out of every line and escapes what steers a terminal or
 * begins another line, so that no command has to think of it. Errors quote files, arguments and services. A text that is
 * too short for a secret stays, because the lines are mostly this program's own words.
 */
import { createRedactor, printable } from '@brokerwire/core'
import { stripLineEnd } from '@brokerwire/core/internal'
import type { GuardedIo, Io } from './io.ts'
import { MIN_SECRET_LENGTH } from './settings/min-secret-length.ts'
import { SETTINGS } from './settings/settings.ts'

/** What is quoted in a line may be megabytes; the longest path of a system has room. */
const MAX_CHARACTERS = 6000

/** Guards standard error. The secret in the environment is kept from the start. */
export function guardIo(io: Io): GuardedIo {
  const secrets: string[] = []
  const keepSecret = (secret: string): void => {
    if (secret.length >= MIN_SECRET_LENGTH) secrets.push(secret)
    redact = createRedactor(secrets)
  }
  let redact = createRedactor(secrets)
  keepSecret(stripLineEnd(io.env[SETTINGS.appSecret.variable] ?? ''))
  const show = (line: string): string => printable(redact(line, MAX_CHARACTERS + 1), MAX_CHARACTERS)
  const { progress } = io
  return {
    ...io,
    keepSecret,
    redact: (text) => redact(text),
    err(line) {
      // A line of progress stands below, and is drawn again.
      progress?.(undefined)
      io.err(show(line))
    },
    progress: progress && ((text) => progress(text && show(text))),
  }
}
