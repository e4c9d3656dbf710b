/** Signs once with a new signer. */
import { createSigner } from '@brokerwire/signer'
import { APP_KEY, APP_SECRET, HOST, PATH, QUERY } from './request.ts'

export async function signOnce(): Promise<string> {
  const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
  const { headers } = await signer.sign({ host: HOST, path: PATH, query: QUERY })
  return headers['x-signature']
}
