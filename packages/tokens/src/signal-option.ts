/** The options of a call that takes a signal and nothing else. */
import { type AbortSignalLike, readSignal, requireOptions } from '@brokerwire/core'
import { optionInvalid } from './tokens-error.ts'

/** @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readSignalOption(given: {
  readonly signal?: AbortSignalLike | undefined
}): AbortSignalLike | undefined {
  return readSignal(optionInvalid, requireOptions(optionInvalid, 'options', given, { signal: 1 }).signal)
}
