/** Asks the service for a token because a person said so. */
import { isTokensError } from '@brokerwire/tokens'
import type { GuardedIo } from '../io.ts'
import type { OpenTokens } from './open.ts'

/** Asks, and does not wait for the second factor. @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_CREATE_TOO_SOON` */
export async function askForToken({ brokerage }: OpenTokens, io: GuardedIo): Promise<void> {
  try {
    await brokerage.accessTokens.renew({ wait: false, signal: io.signal })
  } catch (error) {
    if (!isTokensError(error, 'TOKEN_PENDING')) throw error
  }
}
