/** The types that the guards narrow to. This file is compiled, but not run. */
import { type CoreError, isCoreError } from './core-error.ts'
import { type BrokerwireError, isBrokerwireError } from './error.ts'

declare const caught: unknown

if (isBrokerwireError(caught)) {
  const error: BrokerwireError = caught
  const { code, retryable }: { code: string; retryable: boolean } = error
  void [code, retryable]
}

if (isCoreError(caught)) {
  const error: CoreError = caught
  const code:
    | 'ENDPOINT_UNKNOWN'
    | 'ENDPOINT_INVALID'
    | 'SECRET_INVALID'
    | 'CLOCK_INVALID'
    | 'CLOCK_IMPLAUSIBLE'
    | 'OPTION_INVALID'
    | 'PROXY_REFUSED'
    | 'PROXY_UNREACHABLE' = error.code
  void code
}

if (isCoreError(caught, 'ENDPOINT_UNKNOWN')) {
  const code: 'ENDPOINT_UNKNOWN' = caught.code
  const option: string = caught.details.option
  // @ts-expect-error the details of this code have no `received`
  void caught.details.received
  void [code, option]
}

// @ts-expect-error no error of this package has this code
isCoreError(caught, 'SIGNER_OPTION_INVALID')
