/** What the process says at its end. Numbers from 64 on are those of sysexits.h. */
import type { BrokerwireError } from '@brokerwire/core'

/** Exit statuses, as the README has them. */
export const EXIT = {
  done: 0,
  /** The command's own no. */
  no: 1,
  usage: 2,
  /** A defect of this program: EX_SOFTWARE. */
  defect: 70,
  /** Standard output or standard error cannot be written: EX_IOERR. */
  output: 74,
} as const

/**
 * Codes of wrong usage, whichever package finds it: commands hand flags, arguments and variables on as they are. Not
 * `_ANSWER_INVALID`, `_RECORD_INVALID` and the like: those are about what came from elsewhere.
 */
const USAGE = /_(?:OPTION|TARGET|INPUT)_INVALID$|^ENDPOINT_|^CLI_INPUT_UNREADABLE$|^CLI_SECRET_EXPOSED$/

/** The status of a command that ended with this error. */
export function statusOf({ code }: Pick<BrokerwireError, 'code'>): number {
  return USAGE.test(code) ? EXIT.usage : EXIT.no
}
