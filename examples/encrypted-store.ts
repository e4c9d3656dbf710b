/**
 * Keeps a token encrypted on disk, with keys that you can rotate. `STORE_KEYS` is `id:key`, or several separated by commas, the newest
 * first. The first key encrypts; all keys decrypt. `openssl rand -base64 32` creates a key.
 */
import { createBrokerage } from '@brokerwire/edge'
import { createAesGcmCipher, createEncryptedStore } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { endWith } from './end-with.ts'
import { readSettings } from './settings.ts'

const { BROKERWIRE_STORE = '.brokerwire', STORE_KEYS = '' } = process.env
const keys = STORE_KEYS.split(',').map((entry) => {
  const [id = '', key = ''] = entry.split(':')
  return { id, key }
})

try {
  await using brokerage = createBrokerage({
    ...readSettings(),
    store: createEncryptedStore({
      store: createFileStore({ directory: BROKERWIRE_STORE }),
      // If a key is missing or too short, this call fails. The message states the index of the key in the
      // list, never the key.
      cipher: createAesGcmCipher({ keys }),
    }),
  })
  const token = await brokerage.accessTokens.get()
  console.log(
    'token until',
    token?.expiresAtMs === undefined ? 'an unknown time' : new Date(token.expiresAtMs),
  )
} catch (error) {
  endWith(error)
}
