/** Runs `brokerwire token create`. */
import type { Run } from '../frame/definition.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { openTokens } from '../token/open.ts'
import { requestToken } from '../token/request-token.ts'
import { readStatus, showStatus } from '../token/stored.ts'
import { type WaitFlags, waitOptions, waitWithProgress } from '../token/wait-with-progress.ts'

type Flags = SettingFlags &
  WaitFlags & { readonly wait?: boolean; readonly json?: boolean; readonly reveal?: boolean }

export const run: Run<Flags> = async ({ flags, io }) => {
  await using tokens = await openTokens(flags, io, { tokens: waitOptions(flags) })
  const { state } = await readStatus(tokens)
  if (state !== 'normal' && state !== 'renewing' && state !== 'pending') await requestToken(tokens, io)
  if (flags.wait) await waitWithProgress(tokens, io, 'get')
  return showStatus(await readStatus(tokens), tokens, flags, io)
}
