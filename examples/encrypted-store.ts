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

await using brokerage = createBrokerage({
  ...readSettings(),
  store: createEncryptedStore({
    store: createFileStore({ directory: STORE_DIRECTORY }),
    cipher: createAesGcmCipher({ keys }),
  }),
})

try {
  const token = await brokerage.accessTokens.get()
  console.log(`token until ${new Date(token?.expiresAtMs ?? 0).toISOString()}`)
} catch (error) {
  if (!isBrokerwireError(error)) throw error
  // What lies under the error is safe to print: no error of the toolkit holds a stored text or a key.
  console.log(error.code, isBrokerwireError(error.cause) ? error.cause.code : '')
  process.exitCode = 1
}
