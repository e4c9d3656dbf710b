/** Runs `brokerwire token forget`. */
import { escapeControlChars } from '@brokerwire/core'
import { accessTokenStoreKey } from '@brokerwire/tokens'
import { oldAccessTokenStoreKey } from '@brokerwire/tokens/internal'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { openTokens } from '../token/open.ts'

export const run: Run<SettingFlags & { readonly yes?: boolean }> = async ({ flags, io }) => {
  await using tokens = await openTokens(flags, io)
  const { store, identity, directory } = tokens
  const keys = [accessTokenStoreKey(identity)]
  if (identity.hasTableAddresses) keys.push(oldAccessTokenStoreKey(identity))
  const texts = await Promise.all(keys.map((key) => store.get(key)))
  if (texts.every((text) => text === undefined)) {
    io.out(`token: none in ${escapeControlChars(directory)}`)
    return EXIT.done
  }
  if (!flags.yes) {
    if (io.prompt === undefined) throw optionError('--yes', 'must be given if there is no terminal to ask on')
    const isSure = await io.prompt.confirm(
      `Forget the ${identity.environment} token? The next one may need a second factor.`,
    )
    if (!isSure) return EXIT.no
  }
  for (const key of keys) {
    for (;;) {
      // A record that another process is writing now is removed too.
      const text = await store.get(key)
      if (text === undefined || (await store.compareAndSet(key, text, undefined))) break
    }
  }
  io.out('token: forgotten')
  return EXIT.done
}
