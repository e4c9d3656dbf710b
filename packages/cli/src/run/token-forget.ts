/** Runs `brokerwire token forget`. */
import { printable } from '@brokerwire/core'
import { accessTokenStoreKey } from '@brokerwire/tokens'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { openTokens } from '../token/open.ts'

export const run: Run<SettingFlags & { readonly yes?: boolean }> = async ({ flags, io }) => {
  await using tokens = await openTokens(flags, io)
  const { store, key, directory } = tokens
  const storeKey = accessTokenStoreKey(key)
  if ((await store.get(storeKey)) === undefined) {
    io.out(`token: there is none in ${printable(directory)}`)
    return EXIT.done
  }
  if (!flags.yes) {
    if (io.prompt === undefined) throw optionError('--yes', 'this flag, where nobody can be asked')
    const isSure = await io.prompt.confirm(
      `Forget the ${key.environment} token? The next one may need a person.`,
    )
    if (!isSure) return EXIT.no
  }
  for (;;) {
    // Whoever writes at this moment wrote what is to be forgotten, too.
    const text = await store.get(storeKey)
    if (text === undefined || (await store.compareAndSet(storeKey, text, undefined))) break
  }
  io.out('token: forgotten')
  return EXIT.done
}
