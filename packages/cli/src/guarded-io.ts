/**
 * What commands get instead of the bare process: standard error takes secrets out of every line and escapes what steers
 * a terminal or begins another line, so that no command has to think of it. Errors quote files, arguments and services.
 */
import { createRedactor, printable } from '@brokerwire/core'
import { ENV } from './credentials.ts'
import type { GuardedIo, Io } from './io.ts'

/** Guards standard error. The secret in the environment is kept from the start. */
export function guardIo(io: Io): GuardedIo {
  const secrets = [io.env[ENV.appSecret] ?? '']
  let redact = createRedactor(secrets)
  return {
    ...io,
    keepSecret(secret) {
      secrets.push(secret)
      redact = createRedactor(secrets)
    },
    err: (line) => io.err(printable(redact(line))),
  }
}
