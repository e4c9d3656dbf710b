/**
 * A token that lies encrypted on the disk, under keys that can be replaced: `STORE_KEYS` is `id:key`, several with a
 * comma between them, the newest first. The first seals, all of them open. `openssl rand -base64 32` makes a key.
 */
import { createBrokerage } from '@brokerwire/client/edge'
import { isBrokerwireError } from '@brokerwire/core'
import { createAesGcmCipher, createEncryptedStore } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { readSettings } from './settings.ts'

const { STORE_DIRECTORY = '.brokerwire', STORE_KEYS = '' } = process.env
const keys = STORE_KEYS.split(',').map((entry) => {
  const [id = '', key = ''] = entry.split(':')
  return { id, key }
})

try {
  await using brokerage = createBrokerage({
    ...readSettings(),
    store: createEncryptedStore({
      store: createFileStore({ directory: STORE_DIRECTORY }),
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
  if (!isBrokerwireError(error)) throw error
  // Safe to print, and so is what lies under it: no error of the toolkit holds a stored text or a key.
  console.log(`${error.code}: ${error.message}`)
  if (isBrokerwireError(error.cause)) console.log(`${error.cause.code}: ${error.cause.message}`)
  process.exitCode = 1
}
