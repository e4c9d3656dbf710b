/** Runs `brokerwire token renew`. */
import type { Run } from '../frame/definition.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { askForToken } from '../token/ask.ts'
import { followToken, type WaitFlags, waitOptions } from '../token/follow.ts'
import { openTokens } from '../token/open.ts'
import { readStatus, showStatus } from '../token/stored.ts'

type Flags = SettingFlags &
  WaitFlags & { readonly wait?: boolean; readonly json?: boolean; readonly reveal?: boolean }

export const run: Run<Flags> = async ({ flags, io }) => {
  await using tokens = await openTokens(flags, io, { tokens: waitOptions(flags) })
  if (flags.wait) await followToken(tokens, io, 'renew')
  else await askForToken(tokens, io)
  return showStatus(await readStatus(tokens), tokens, flags, io)
}
