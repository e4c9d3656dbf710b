/** Runs `brokerwire token check`. */
import type { BrokerwireError } from '@brokerwire/core'
import { isTokensError, type TokenCallEnd } from '@brokerwire/tokens'
import { CliError } from '../cli-error.ts'
import type { Run } from '../frame/definition.ts'
import type { GuardedIo } from '../io.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { type OpenTokens, openTokens, tokenMissing } from '../token/open.ts'
import { readStatus, showStatus } from '../token/stored.ts'

type Flags = SettingFlags & { readonly json?: boolean; readonly reveal?: boolean }

export const run: Run<Flags> = async ({ flags, io }) => {
  let last: TokenCallEnd | undefined
  const onTokenCall = (end: TokenCallEnd): void => {
    last = end
  }
  // Checks immediately. A failed check must not create a new token, not even in the sandbox.
  const options = { tokens: { pollIntervalMs: 1, secondFactor: true }, observer: { onTokenCall } }
  await using tokens = await openTokens(flags, io, options)
  const { record } = await readStatus(tokens)
  if (record.current === undefined && record.pending === undefined)
    throw tokenMissing('there is no token to check')
  await checkWithService(tokens, record, io)
  if (last?.failure !== undefined) throw checkFailed(last)
  return showStatus(await readStatus(tokens), tokens, flags, io)
}

type Stored = Awaited<ReturnType<typeof readStatus>>['record']

/**
 * Reports the token as rejected, so that the library checks it with the service and stores the result. A
 * pending token is polled instead.
 */
async function checkWithService(
  { brokerage }: OpenTokens,
  { current }: Stored,
  io: GuardedIo,
): Promise<void> {
  const { signal } = io
  try {
    if (current === undefined) await brokerage.accessTokens.get({ wait: false, signal })
    else {
      const rejection = { status: 401, code: 'INVALID_TOKEN' }
      await brokerage.accessTokens.reportRejected(current.token, rejection, { signal })
    }
  } catch (error) {
    // The result of the service is in the store, and is shown from there.
    if (!isTokensError(error, 'TOKEN_PENDING') && !isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED'))
      throw error
  }
}

/**
 * Creates the error of a check without a result, for example because of a wrong clock, a rejected signature,
 * or an unreachable host.
 */
function checkFailed({ failure = 'no-response', status, error }: TokenCallEnd): BrokerwireError {
  if (error !== undefined) return error
  const reason = status === undefined ? failure : `${failure}, status ${status}`
  return new CliError('CLI_UNREACHABLE', `checking the token failed: ${reason}`, {
    details: { reason },
    retryable: true,
  })
}
