/** The error class of this package, for problems that are found before a command has any effect. */
import { BrokerwireError, type BrokerwireErrorOptions } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** A value that is missing. */
export interface MissingValue {
  /** Name of the value as a noun, for example `app key`. */
  readonly name: string
  readonly flag: string
  /** Environment variable of a setting. Flags of a single command have none. */
  readonly variable?: string | undefined
  readonly key?: string | undefined
}

/** The `details` of each code. */
export interface CliErrorDetails {
  /** A flag, argument or environment variable is invalid, or a flag of only this command is missing. */
  CLI_OPTION_INVALID: { readonly option: string }
  /** Required settings or flags are missing. */
  CLI_VALUE_MISSING: { readonly missing: readonly MissingValue[] }
  /** A file cannot be read, or has the wrong content. */
  CLI_INPUT_UNREADABLE: { readonly file: string }
  /** Other users can read or change a file with a secret, or can write to the folder of the profiles. */
  CLI_SECRET_EXPOSED: { readonly file: string }
  /** The profile file has an invalid format. */
  CLI_CONFIG_INVALID: { readonly file: string; readonly expected: string }
  /** The command needs a token, and no usable one is stored. */
  CLI_TOKEN_MISSING: Readonly<Record<never, never>>
  /** The service cannot be reached. */
  CLI_UNREACHABLE: { readonly reason: string }
  /** The command timed out; the service was reachable. */
  CLI_TIMED_OUT: { readonly reason: string }
  /** A file of vectors contains no record. */
  CLI_VECTORS_EMPTY: { readonly file: string }
  /** The demo got unexpected results. */
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

/**
 * Creates the error of an invalid flag, argument or variable.
 *
 * @param option - Name of the option: `--count`, `<url>`, `BROKERWIRE_REGION`.
 * @param problem - The rest of the sentence: `must be an absolute URL; received "x"`.
 */
export function optionError(option: string, problem: string): CliError<'CLI_OPTION_INVALID'> {
  return new CliError('CLI_OPTION_INVALID', `${option} ${problem}`, { details: { option } })
}

/** Creates the same error for the checks of core, which create the sentence themselves. */
export const optionFailure: OptionFailure = (option, expected, received, message) =>
  new CliError('CLI_OPTION_INVALID', message ?? optionMessage(option, expected, received), {
    details: { option },
  })

/** Creates the error of an unusable file, directory or standard input. @param problem - The rest of the sentence. */
export function fileError(file: string, problem: string): CliError<'CLI_INPUT_UNREADABLE'> {
  return new CliError('CLI_INPUT_UNREADABLE', `${file} ${problem}`, { details: { file } })
}
