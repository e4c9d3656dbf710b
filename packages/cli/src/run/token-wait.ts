/** Runs `brokerwire token wait`. */

import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { openTokens, tokenMissing } from '../token/open.ts'
import { requestToken } from '../token/request-token.ts'
import { getTokenExitStatus, readStatus, showStatus } from '../token/stored.ts'
import { type WaitFlags, waitOptions, waitWithProgress } from '../token/wait-with-progress.ts'

type Flags = SettingFlags &
  WaitFlags & { readonly create?: boolean; readonly json?: boolean; readonly reveal?: boolean }

export const run: Run<Flags> = async ({ flags, io }) => {
  await using tokens = await openTokens(flags, io, { tokens: waitOptions(flags) })
  const status = await readStatus(tokens)
  if (getTokenExitStatus(status) === EXIT.credentials) {
    if (!flags.create) throw tokenMissing('there is no token to wait for')
    await requestToken(tokens, io)
  }
  await waitWithProgress(tokens, io, 'get')
  return showStatus(await readStatus(tokens), tokens, flags, io)
}
