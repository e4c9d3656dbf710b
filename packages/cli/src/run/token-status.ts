/** Runs `brokerwire token status`. */
import type { Run } from '../frame/definition.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { openTokens } from '../token/open.ts'
import { readStatus, showStatus } from '../token/stored.ts'

export const run: Run<SettingFlags & { readonly json?: boolean; readonly reveal?: boolean }> = async ({
  flags,
  io,
}) => {
  await using tokens = await openTokens(flags, io)
  return showStatus(await readStatus(tokens), tokens, flags, io)
}
