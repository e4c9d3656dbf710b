/** Shows axios with a signed `fetch`: the fetch adapter sends what axios has made of a request. */
import type { Signer } from '@brokerwire/signer'
import { createSignedFetch } from '@brokerwire/signer/fetch'
import axios, { type AxiosInstance } from 'axios'

/** @param origin - The only origin that requests are sent to. */
export function createClient(
  signer: Signer,
  origin: string,
  accessToken?: () => Promise<string>,
): AxiosInstance {
  const signedFetch = createSignedFetch({ signer, fetch, origin, accessToken })
  return axios.create({ baseURL: origin, adapter: 'fetch', env: { fetch: signedFetch } })
}
