/** Shows ky with a signed `fetch`. ky calls it for each attempt, so it signs each attempt anew. */
import type { Signer } from '@brokerwire/signer'
import { createSignedFetch } from '@brokerwire/signer/fetch'
import ky, { type KyInstance } from 'ky'

/** @param origin - The only origin that requests are sent to. */
export function createClient(
  signer: Signer,
  origin: string,
  accessToken?: () => Promise<string>,
): KyInstance {
  const signedFetch = createSignedFetch({ signer, fetch, origin, accessToken })
  return ky.create({ prefixUrl: origin, fetch: signedFetch })
}
