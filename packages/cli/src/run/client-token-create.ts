/** Runs `brokerwire client-token create`. */
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { type PairFlags, readPair, showPair } from '../token/client-pair.ts'
import { openTokens } from '../token/open.ts'

export const run: Run<PairFlags & { readonly yes?: boolean }> = async ({ args, flags, io }) => {
  await using tokens = await openTokens(flags, io)
  const user = String(args[0])
  if (!flags.yes && (await readPair(tokens, user)) !== undefined) {
    if (io.prompt === undefined)
      throw optionError(
        '--yes',
        'must be given if a pair is stored: a create ends all sessions of the customer',
      )
    const isSure = await io.prompt.confirm('A pair is stored. End the sessions of this customer?')
    if (!isSure) return EXIT.no
  }
  await tokens.brokerage.clientTokens.get(user, { renew: 'create', signal: io.signal })
  return showPair(await readPair(tokens, user), user, flags, io)
}
