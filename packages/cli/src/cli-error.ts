/** The error of this package: what the command line refuses before it does anything. */
import { BrokerwireError, type BrokerwireErrorOptions } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** A value that is missing. */
export interface MissingValue {
  /** A noun: `app key`. */
  readonly name: string
  readonly flag: string
  /** Of a setting; a flag of one command has neither. */
  readonly variable?: string | undefined
  readonly key?: string | undefined
}

/** What each code says beside its message. */
export interface CliErrorDetails {
  /** A flag, argument or environment variable is wrong, or one that only this command needs is missing. */
  CLI_OPTION_INVALID: { readonly option: string }
  /** Values that the command needs are missing: settings, and flags of its own. */
  CLI_VALUE_MISSING: { readonly missing: readonly MissingValue[] }
  /** A file cannot be read, or is not what the command reads. */
  CLI_INPUT_UNREADABLE: { readonly file: string }
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
  CLI_VECTORS_EMPTY: { readonly file: string }
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

/**
 * A wrong flag, argument or variable.
 *
 * @param option - As a person writes it: `--count`, `<url>`, `BROKERWIRE_REGION`.
 * @param problem - The rest of the sentence: `must be an absolute URL; received "x"`.
 */
export function optionError(option: string, problem: string): CliError<'CLI_OPTION_INVALID'> {
  return new CliError('CLI_OPTION_INVALID', `${option} ${problem}`, { details: { option } })
}

/** The same for the checks of core, which write the sentence themselves. */
export const optionFailure: OptionFailure = (option, expected, received, message) =>
  new CliError('CLI_OPTION_INVALID', message ?? optionMessage(option, expected, received), {
    details: { option },
  })

/** A file, a directory or standard input that a command cannot use. @param problem - The rest of the sentence. */
export function fileError(file: string, problem: string): CliError<'CLI_INPUT_UNREADABLE'> {
  return new CliError('CLI_INPUT_UNREADABLE', `${file} ${problem}`, { details: { file } })
}
