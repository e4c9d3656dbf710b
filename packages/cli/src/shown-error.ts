/** An error as lines for a person: the message in the terms of the command line, and what to do next. */
import { type BrokerwireError, isBrokerwireError } from '@brokerwire/core'
import { CliError } from './cli-error.ts'
import { durationText } from './render/duration.ts'
import { messageHere } from './settings/library-options.ts'
import { missingLines } from './settings/missing.ts'

const DAY_MS = 86_400_000

const WRAPPERS: readonly string[] = ['TOKEN_CALL_FAILED', 'TOKEN_STORE_FAILED']

/** The lines of an error, and the error that the exit status is taken from. */
export interface ShownError {
  readonly lines: readonly string[]
  readonly error: BrokerwireError
}

/** The error with the reason: why a call of the token endpoints or of the store failed is known one level below. */
export function reasonOfError(error: BrokerwireError): BrokerwireError {
  const { code, cause } = error
  return WRAPPERS.includes(code) && isBrokerwireError(cause) ? cause : error
}

/** Reads an error for a person. */
export function shownError(error: BrokerwireError): ShownError {
  const { code } = error
  // The advice for the command line, and the exit status, depend on what made the call fail.
  const reason = reasonOfError(error)
  if (reason.code === 'HTTP_NOT_SENT') return plain(unreachable(reason))
  if (error instanceof CliError) return plain(error)
  return { lines: [`${code}: ${messageHere(error)}${adviceOn(reason)}${onStore(code)}`], error: reason }
}

const plain = (error: CliError): ShownError => ({
  lines: [`${error.code}: ${error.message}`, ...missingLines(error)],
  error,
})

/** The value of a flag that lets the same succeed, or when it succeeds. */
function adviceOn({ code, details }: BrokerwireError): string {
  const { serverNowMs, hostNowMs, retryAfterMs } = details as Readonly<Record<string, unknown>>
  if (code === 'HTTP_CLOCK_IMPLAUSIBLE') {
    const days = Math.ceil(Math.abs(Number(serverNowMs) - Number(hostNowMs)) / DAY_MS)
    return ` (here: --max-clock-offset ${days}d)`
  }
  if (code === 'STREAM_AUTH_REJECTED') return ' (here: --with-token)'
  // Their messages have the time already.
  if (code === 'TOKEN_CREATE_TOO_SOON' || code === 'TOKEN_RATE_LIMITED') return ''
  return typeof retryAfterMs === 'number' ? ` (again in ${durationText(retryAfterMs)})` : ''
}

/** The directory is the host's usual one if nothing names another. */
const onStore = (code: string): string => (code === 'TOKEN_STORE_FAILED' ? ' (here: another --store)' : '')

function unreachable({ details, message, retryable }: BrokerwireError): CliError<'CLI_UNREACHABLE'> {
  const { origin, reason, proxy } = details as Readonly<Record<string, unknown>>
  const why = proxy === undefined ? `${String(origin)}: no connection (${String(reason)})` : message
  const text = `${why}. Run \`brokerwire doctor\` to find the cause`
  return new CliError('CLI_UNREACHABLE', text, { details: { reason: String(reason) }, retryable })
}
