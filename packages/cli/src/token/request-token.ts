/** Creates a token when the user requests it. */
import { isTokensError } from '@brokerwire/tokens'
import type { GuardedIo } from '../io.ts'
import type { OpenTokens } from './open.ts'

/**
 * Creates a token without waiting for the second factor. @throws TokensError `TOKEN_CALL_FAILED`,
 * `TOKEN_CREATE_TOO_SOON`
 */
export async function requestToken({ brokerage }: OpenTokens, io: GuardedIo): Promise<void> {
  try {
    await brokerage.accessTokens.renew({ wait: false, signal: io.signal })
  } catch (error) {
    if (!isTokensError(error, 'TOKEN_PENDING')) throw error
  }
}
