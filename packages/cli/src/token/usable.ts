/**
 * Finds the token of a command that needs one. Only the stored token is used, because a new one may need a
 * second factor.
 */

import { EXIT } from '../exit-status.ts'
import type { GuardedIo } from '../io.ts'
import { type OpenTokens, tokenMissing } from './open.ts'
import { requestToken } from './request-token.ts'
import { getTokenExitStatus, readStatus } from './stored.ts'
import { waitWithProgress } from './wait-with-progress.ts'

/**
 * Ensures that a usable token is stored.
 *
 * @throws CliError `CLI_TOKEN_MISSING`; TokensError such as `TOKEN_PENDING`.
 */
export async function requireToken(
  tokens: OpenTokens,
  { create = false }: { readonly create?: boolean },
  io: GuardedIo,
): Promise<void> {
  const { accessTokens } = tokens.brokerage
  const status = getTokenExitStatus(await readStatus(tokens))
  if (status === EXIT.credentials && tokens.identity.environment !== 'sandbox') {
    if (!create) throw tokenMissing('there is no usable token in the store')
    await requestToken(tokens, io)
  }
  if (create) await waitWithProgress(tokens, io, 'get')
  const token = await accessTokens.get({ wait: false, signal: io.signal })
  if (token !== undefined) io.keepSecret(token.token.reveal())
}
