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
  /**
   * A flag, argument or environment variable is invalid, or a flag of only this command is missing.
   * @retryable no
   * @remedy Correct the flag, argument or variable that the message names.
   * @message --region must be "hk" or "us"; received "US". Did you mean "us"?
   */
  CLI_OPTION_INVALID: { readonly option: string }
  /**
   * Required settings or flags are missing.
   * @retryable no
   * @remedy Set what the message lists, by its flag, its variable or its key in a profile. Without keys, try the
   *   command on `brokerwire simulate`.
   * @message missing: app key, app secret, region and environment. Set each with a flag, a variable or `brokerwire
   *   config set`
   */
  CLI_VALUE_MISSING: { readonly missing: readonly MissingValue[] }
  /**
   * A file cannot be read, or has the wrong content.
   * @retryable no
   * @remedy Correct the path or the file.
   * @message request.json must be JSON in UTF-8; received other text
   */
  CLI_INPUT_UNREADABLE: { readonly file: string }
  /**
   * Other users can read or change a file with a secret, or can write to the folder of the profiles.
   * @retryable no
   * @remedy Run `chmod 600` on the file, and `chmod go-w` on its folder.
   * @message secret.txt holds a secret and must be accessible to its owner only. Run chmod 600 on it
   */
  CLI_SECRET_EXPOSED: { readonly file: string }
  /**
   * The profile file has an invalid format.
   * @retryable no
   * @remedy Correct the file, or remove it.
   * @message config.json must be JSON. Correct the file, or remove it
   */
  CLI_CONFIG_INVALID: { readonly file: string; readonly expected: string }
  /**
   * The command needs a token, and no usable one is stored.
   * @retryable no
   * @remedy Run `brokerwire token create`.
   * @message there is no usable token in the store: run `brokerwire token create --wait`
   */
  CLI_TOKEN_MISSING: Readonly<Record<never, never>>
  /**
   * The service cannot be reached.
   * @retryable yes, unless a proxy rejects the connection permanently
   * @remedy Run `brokerwire doctor`.
   * @message 127.0.0.1:8080: 2 attempts failed: ECONNREFUSED; run `brokerwire doctor` to find the cause;
   *   --max-attempts 0 retries without a limit
   */
  CLI_UNREACHABLE: { readonly reason: string }
  /**
   * The command timed out; the service was reachable.
   * @retryable yes
   * @remedy Use a longer `--timeout`.
   * @message 3 of 5 messages were not received within 10s
   */
  CLI_TIMED_OUT: { readonly reason: string }
  /**
   * A file of vectors contains no record.
   * @retryable no
   * @remedy Pass a file with at least one vector.
   * @message vectors.json must contain arrays of records with "path" or "requestHex"; received none
   */
  CLI_VECTORS_EMPTY: { readonly file: string }
  /**
   * The demo got unexpected results.
   * @retryable no
   * @remedy Report the results that the message lists.
   * @message the demo did not observe: a price of AAPL
   */
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
