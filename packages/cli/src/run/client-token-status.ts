/** Runs `brokerwire client-token status`. */
import type { Run } from '../frame/definition.ts'
import { type PairFlags, readPair, showPair } from '../token/client-pair.ts'
import { openTokens } from '../token/open.ts'

export const run: Run<PairFlags> = async ({ args, flags, io }) => {
  await using tokens = await openTokens(flags, io)
  const user = String(args[0])
  return showPair(await readPair(tokens, user), user, flags, io)
}
