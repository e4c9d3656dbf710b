/** Exit statuses. Those from 64 on follow sysexits.h, those from 128 on are signals. */
import type { BrokerwireError } from '@brokerwire/core'

/** Exit statuses, with their texts in README and manual pages. */
export const EXIT_STATUSES = [
  {
    name: 'done',
    status: 0,
    meaning: 'Success. A command that runs until it is stopped also ends with it.',
  },
  {
    name: 'no',
    status: 1,
    meaning:
      'Negative result: a vector failed, strings differ, the service rejected the request, or a check of `doctor` failed.',
  },
  {
    name: 'usage',
    status: 2,
    meaning:
      'Wrong usage, or an unusable file or directory: it cannot be read or written, is accessible to other users, or has the wrong kind or content.',
  },
  { name: 'defect', status: 70, meaning: 'A defect of this program.' },
  {
    name: 'output',
    status: 74,
    meaning:
      'The output cannot be written, for example on a full disk. A closed pipe (`| head`) stops the command at the next line that it prints, and is no error.',
  },
  {
    name: 'tryAgain',
    status: 75,
    meaning:
      'Try again later: the service cannot be reached, sent too few events in time or limits the rate, or the second factor is pending.',
  },
  {
    name: 'credentials',
    status: 77,
    meaning:
      'Credentials: no token is usable, or the service rejected the app key, the signature or the token.',
  },
  { name: 'hungUp', status: 129, meaning: 'SIGHUP stopped the command before its end.' },
  {
    name: 'interrupted',
    status: 130,
    meaning: 'Ctrl-C stopped the command before its end. A second Ctrl-C ends it at once.',
  },
  { name: 'terminated', status: 143, meaning: 'SIGTERM stopped the command before its end.' },
] as const

type ExitName = (typeof EXIT_STATUSES)[number]['name']

/** Exit statuses by name. */
export const EXIT = Object.fromEntries(EXIT_STATUSES.map(({ name, status }) => [name, status])) as Readonly<
  Record<ExitName, number>
>

/**
 * Error codes of invalid usage in any package, because commands pass flags, arguments and variables
 * unchanged. Codes such as `_RESPONSE_INVALID` and `_RECORD_INVALID` are about other data.
 */
const USAGE = /(?:^|_)(?:OPTION|TARGET|INPUT)_INVALID$|^ENDPOINT_|^HTTP_HEADER_FORBIDDEN$|^RELAY_NAME_TAKEN$/
/** Codes of missing values, and of unusable files and directories in flags, arguments, variables or profiles. */
const USAGE_CODES: readonly string[] = [
  'CLI_VALUE_MISSING',
  'CLI_INPUT_UNREADABLE',
  'CLI_SECRET_EXPOSED',
  'CLI_CONFIG_INVALID',
  'CLI_VECTORS_EMPTY',
  'OPERATION_FIELD_GUESSED',
  'OPERATION_UNAVAILABLE',
  'RELAY_CONFIG_INVALID',
  'SIMULATOR_RECORDING_INVALID',
  'SIMULATOR_SCENARIO_INVALID',
  'SIMULATOR_STATE_FAILED',
  'SIMULATOR_STATE_INVALID',
  'STORE_INSECURE_PERMISSIONS',
  'STORE_CORRUPT',
  'STORE_IO',
  'TOKEN_RECORD_INVALID',
]
const CREDENTIALS: readonly string[] = [
  'CLI_TOKEN_MISSING',
  'HTTP_UNAUTHORIZED',
  'HTTP_FORBIDDEN',
  'QUOTES_AUTH_REJECTED',
  'STREAM_AUTH_REJECTED',
  'TOKEN_SECOND_FACTOR_REQUIRED',
  'TOKEN_VERIFICATION_EXPIRED',
]
/** Codes for which a retry may succeed, even if the error is not `retryable`. */
const TRY_AGAIN: readonly string[] = ['CLI_TIMED_OUT', 'HTTP_NO_RESPONSE', 'HTTP_TIMEOUT']
/** Failures of token endpoints without a response. */
const NO_RESPONSE_KINDS: readonly unknown[] = ['not-sent', 'no-response', 'server-error', 'rate-limited']

/**
 * Returns the exit status of a stopped command. A closed output pipe stops the command, but is not a failure.
 */
export function getStopStatus(reason: unknown): number {
  if (reason === 'output') return EXIT.done
  if (reason === 'SIGHUP') return EXIT.hungUp
  return reason === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted
}

/** Returns the exit status of a command that ended with this error. */
export function getExitStatus({ code, retryable = false, details = {} }: StatusSource): number {
  if (USAGE.test(code) || USAGE_CODES.includes(code)) return EXIT.usage
  if (CREDENTIALS.includes(code)) return EXIT.credentials
  if (TRY_AGAIN.includes(code)) return EXIT.tryAgain
  // The simulator responds with 400 to invalid arguments. 0 means that there was no response.
  if (code === 'SIMULATOR_CONTROL_FAILED' && details.status === 400) return EXIT.usage
  if (code === 'TOKEN_CALL_FAILED') {
    if (NO_RESPONSE_KINDS.includes(details.kind)) return EXIT.tryAgain
    return details.status === 401 || details.status === 403 ? EXIT.credentials : EXIT.no
  }
  return retryable ? EXIT.tryAgain : EXIT.no
}

type StatusSource = Pick<BrokerwireError, 'code'> & {
  readonly retryable?: boolean
  readonly details?: { readonly kind?: unknown; readonly status?: unknown }
}
