/** The error of this package: what the command line refuses before it does anything. */
import { BrokerwireError, type BrokerwireErrorOptions } from '@brokerwire/core'

/** What each code says beside its message. */
export interface CliErrorDetails {
  /** A flag, argument or environment variable is missing or wrong. */
  CLI_OPTION_INVALID: { readonly option: string; readonly expected: string }
  /** A file cannot be read, or is not what the command reads. */
  CLI_INPUT_UNREADABLE: { readonly file: string; readonly expected: string }
  /** A file with a secret can be read or changed by others than its owner, or they may write to the folder of the profiles. */
  CLI_SECRET_EXPOSED: { readonly file: string }
  /** The file with the profiles is not what this program writes. */
  CLI_CONFIG_INVALID: { readonly file: string; readonly expected: string }
  /** A command needs a token, and none is usable. */
  CLI_TOKEN_MISSING: Readonly<Record<never, never>>
  /** The service cannot be reached. */
  CLI_UNREACHABLE: { readonly reason: string }
  /** What was waited for had not come in time; the service was there. */
  CLI_TIMED_OUT: { readonly reason: string }
  /** A file of vectors holds no record. */
  CLI_VECTORS_EMPTY: { readonly file: string; readonly expected: string }
  /** The demo saw something else than it promises. */
  CLI_DEMO_FAILED: { readonly expected: readonly string[] }
}

/** Stable codes of {@link CliError}. */
export type CliErrorCode = keyof CliErrorDetails

/** The error of `@brokerwire/cli`. */
export class CliError<C extends CliErrorCode = CliErrorCode> extends BrokerwireError<C, CliErrorDetails[C]> {
  override readonly name = 'CliError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<CliErrorDetails[C]>) {
    super('cli', code, message, options)
  }
}

/** A wrong flag, argument or variable. */
export function optionError(option: string, expected: string): CliError<'CLI_OPTION_INVALID'> {
  return new CliError('CLI_OPTION_INVALID', `${option}: expected ${expected}`, {
    details: { option, expected },
  })
}
