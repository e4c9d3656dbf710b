/** Runs `brokerwire client-token refresh`. */
import { CliError } from '../cli-error.ts'
import type { Run } from '../frame/definition.ts'
import { type PairFlags, readPair, showPair } from '../token/client-pair.ts'
import { openTokens } from '../token/open.ts'

export const run: Run<PairFlags> = async ({ args, flags, io }) => {
  await using tokens = await openTokens(flags, io)
  const user = String(args[0])
  if ((await readPair(tokens, user)) === undefined) {
    const message = 'no pair of this customer is stored: run `brokerwire client-token create`'
    throw new CliError('CLI_TOKEN_MISSING', message, { details: {} })
  }
  await tokens.brokerage.clientTokens.get(user, { renew: 'refresh', signal: io.signal })
  return showPair(await readPair(tokens, user), user, flags, io)
}
