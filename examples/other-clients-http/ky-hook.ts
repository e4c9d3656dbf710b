/** Shows ky with a hook that signs each request. */
import { type Signer, signRequest } from '@brokerwire/signer'
import ky, { type KyInstance } from 'ky'

export function createClient(signer: Signer, origin: string): KyInstance {
  return ky.create({
    prefixUrl: origin,
    // A request of `signRequest` follows no redirect: ky rejects with its HTTPError.
    hooks: { beforeRequest: [(request) => signRequest(signer, request)] },
  })
}
