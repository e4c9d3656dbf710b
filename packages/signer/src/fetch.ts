/** A `fetch` that signs requests: `@brokerwire/signer/fetch`. */
export {
  type AccessTokenFunction,
  createSignedFetch,
  type FetchedResponse,
  type FetchFunction,
  type RequestConstructor,
  type SignedFetch,
  type SignedFetchOptions,
} from './signed-fetch.ts'
