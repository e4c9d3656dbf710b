/**
 * Protects standard error: it removes secrets from every line, and escapes control characters. Errors quote
 * files, arguments and services, so all commands use this code. Strings that are too short for a secret are
 * not removed, because they also occur in this program's own words.
 */
import { createRedactor, escapeControlChars } from '@brokerwire/core'
import { stripLineEnd } from '@brokerwire/core/internal'
import type { GuardedIo, Io } from './io.ts'
import { MIN_SECRET_LENGTH } from './settings/min-secret-length.ts'
import { SETTINGS } from './settings/settings.ts'

/**
 * Maximum length of a line, because a quoted string may be megabytes long. The longest possible path is
 * shorter.
 */
const MAX_CHARACTERS = 6000

/** Protects standard error. The secret in the environment is removed from the start. */
export function guardIo(io: Io): GuardedIo {
  const secrets: string[] = []
  const keepSecret = (secret: string): void => {
    if (secret.length < MIN_SECRET_LENGTH || secrets.includes(secret)) return
    secrets.push(secret)
    redact = createRedactor(secrets)
  }
  let redact = createRedactor(secrets)
  keepSecret(stripLineEnd(io.env[SETTINGS.appSecret.variable] ?? ''))
  const sanitize = (line: string): string =>
    escapeControlChars(redact(line, MAX_CHARACTERS + 1), MAX_CHARACTERS)
  const { progress } = io
  return {
    ...io,
    keepSecret,
    redact: (text) => redact(text),
    err(line) {
      // Clears the progress line, which is printed again afterwards.
      progress?.(undefined)
      io.err(sanitize(line))
    },
    progress: progress && ((text) => progress(text && sanitize(text))),
  }
}
