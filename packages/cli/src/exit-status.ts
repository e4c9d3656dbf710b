/** Exit statuses. Those from 64 on follow sysexits.h, those from 128 on are signals. */
import type { BrokerwireError } from '@brokerwire/core'

/** Exit statuses, with their texts in README and manual pages. */
export const EXIT_STATUSES = [
  {
    name: 'done',
    status: 0,
    meaning: 'Done; also a command that runs until it is stopped, once it is stopped.',
  },
  {
    name: 'no',
    status: 1,
    meaning:
      "The command's own no: a vector failed, strings differ, the service refused the request, a line of `doctor` failed.",
  },
  {
    name: 'usage',
    status: 2,
    meaning:
      'Wrong usage, or a file or directory that cannot be used: it cannot be read or written, is of another kind, is open to others, or holds something else.',
  },
  { name: 'defect', status: 70, meaning: 'A defect of this program.' },
  {
    name: 'output',
    status: 74,
    meaning:
      'The output cannot be written, for example on a full disk. A reader that has left (`| head`) is a request to stop, and no error; it is noticed when the next line is printed, and so not by a command that prints nothing more.',
  },
  {
    name: 'tryAgain',
    status: 75,
    meaning:
      'Try again: the service cannot be reached or sent too few events in time, asks to wait, or the second factor is still awaited.',
  },
  {
    name: 'credentials',
    status: 77,
    meaning:
      'Credentials: there is no usable token, or the service refused the app key, the signature or the token.',
  },
  { name: 'hungUp', status: 129, meaning: 'SIGHUP before the command was done.' },
  {
    name: 'interrupted',
    status: 130,
    meaning: 'Ctrl-C before the command was done. A second Ctrl-C ends it at once.',
  },
  { name: 'terminated', status: 143, meaning: 'SIGTERM before the command was done.' },
] as const

type ExitName = (typeof EXIT_STATUSES)[number]['name']

/** Exit statuses by name. */
export const EXIT = Object.fromEntries(EXIT_STATUSES.map(({ name, status }) => [name, status])) as Readonly<
  Record<ExitName, number>
>

/**
 * Error codes of invalid usage in any package: commands pass flags, arguments and variables on unchanged. Codes such as
 * `_ANSWER_INVALID` and `_RECORD_INVALID` are about data from elsewhere.
 */
const USAGE = /(?:^|_)(?:OPTION|TARGET|INPUT)_INVALID$|^ENDPOINT_|^HTTP_HEADER_FORBIDDEN$|^RELAY_NAME_TAKEN$/
/** Codes of missing values, and of unusable files and directories in flags, arguments, variables or profiles. */
const USAGE_CODES: readonly string[] = [
  'CLI_VALUE_MISSING',
  'CLI_INPUT_UNREADABLE',
  'CLI_SECRET_EXPOSED',
  'CLI_CONFIG_INVALID',
  'CLI_VECTORS_EMPTY',
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

/** Exit status of a stopped command. A closed output pipe is a request to stop, not a failure. */
export function getStopStatus(reason: unknown): number {
  if (reason === 'output') return EXIT.done
  if (reason === 'SIGHUP') return EXIT.hungUp
  return reason === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted
}

/** Exit status of a command that ended with this error. */
export function getExitStatus({ code, retryable = false, details = {} }: StatusSource): number {
  if (USAGE.test(code) || USAGE_CODES.includes(code)) return EXIT.usage
  if (CREDENTIALS.includes(code)) return EXIT.credentials
  if (TRY_AGAIN.includes(code)) return EXIT.tryAgain
  // The simulator responds with 400 to invalid arguments; 0 means no response.
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
