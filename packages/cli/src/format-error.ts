/**
 * Formats an error as lines for people: the message with the names of the command line, and the next step.
 */
import { type BrokerwireError, isBrokerwireError } from '@brokerwire/core'
import { CliError } from './cli-error.ts'
import { durationText } from './render/duration.ts'
import { translateMessage } from './settings/library-options.ts'
import { missingLines } from './settings/missing.ts'

const DAY_MS = 86_400_000

const WRAPPERS: readonly string[] = ['TOKEN_CALL_FAILED', 'TOKEN_STORE_FAILED']

/** Lines of an error, and the error that determines the exit status. */
export interface FormattedError {
  readonly lines: readonly string[]
  readonly error: BrokerwireError
}

/** Returns the most specific error. For failed calls of token endpoints or of the store it is the `cause`. */
export function getReason(error: BrokerwireError): BrokerwireError {
  const { code, cause } = error
  return WRAPPERS.includes(code) && isBrokerwireError(cause) ? cause : error
}

/** Formats an error for people. */
export function formatError(error: BrokerwireError): FormattedError {
  const { code } = error
  // Hint and exit status depend on the cause of the failure.
  const reason = getReason(error)
  if (reason.code === 'HTTP_NOT_SENT') return formatCliError(toUnreachable(reason))
  if (error instanceof CliError) return formatCliError(error)
  return {
    lines: [
      `${code}: ${translateMessage(error)}${getRequestId(reason)}${getHint(reason)}${getStoreHint(code)}`,
    ],
    error: reason,
  }
}

const formatCliError = (error: CliError): FormattedError => ({
  lines: [`${error.code}: ${error.message}`, ...missingLines(error)],
  error,
})

/**
 * Returns the next step: the value of a flag, or the time to try again. The string is empty if there is no
 * next step.
 */
function getHint({ code, details }: BrokerwireError): string {
  const { serverNowMs, hostNowMs, retryAfterMs } = details as Readonly<Record<string, unknown>>
  if (code === 'HTTP_CLOCK_IMPLAUSIBLE') {
    const days = Math.ceil(Math.abs(Number(serverNowMs) - Number(hostNowMs)) / DAY_MS)
    return `. Use --max-clock-offset ${days}d`
  }
  if (code === 'STREAM_AUTH_REJECTED') return '. Use --with-token'
  // The message already contains the time.
  if (code === 'TOKEN_CREATE_TOO_SOON' || code === 'TOKEN_RATE_LIMITED') return ''
  return typeof retryAfterMs === 'number' ? `. Try again in ${durationText(retryAfterMs)}` : ''
}

/** Returns the id of the request, which the service's support asks for. */
function getRequestId({ details }: BrokerwireError): string {
  const { requestId } = details as Readonly<Record<string, unknown>>
  return typeof requestId === 'string' ? ` (request id ${requestId})` : ''
}

/** Returns the next step if the store failed. Its directory may be the default one in the user's home. */
const getStoreHint = (code: string): string => (code === 'TOKEN_STORE_FAILED' ? '. Use another --store' : '')

function toUnreachable({ details, message, retryable }: BrokerwireError): CliError<'CLI_UNREACHABLE'> {
  const { origin, reason, proxy } = details as Readonly<Record<string, unknown>>
  const why = proxy === undefined ? `${String(origin)}: no connection (${String(reason)})` : message
  const text = `${why}. Run \`brokerwire doctor\` to find the cause`
  return new CliError('CLI_UNREACHABLE', text, { details: { reason: String(reason) }, retryable })
}
