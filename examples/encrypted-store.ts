/**
 * A token that lies encrypted on the disk, under keys that can be replaced: `STORE_KEYS` is `id:key`, several with a
 * comma between them, the newest first. The first seals, all of them open. `openssl rand -base64 32` makes a key.
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
      // A key that is missing or too short is refused here, by its place in the list: the message never quotes it.
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
