/** The signer as its users see it: everything is a promise, on every runtime. */
import type { SignatureAlgorithm } from './algorithms.ts'
import {
  messageOf,
  type Runner,
  type Signature,
  Signed,
  type SignInput,
  type StreamSignature,
} from './signer.ts'

/** Signs requests and event streams with one key. */
export interface Signer {
  readonly appKey: string
  readonly algorithm: SignatureAlgorithm
  readonly streamAlgorithm: SignatureAlgorithm
  /**
   * Signs a request that the caller sends himself: add `headers`, send to `url`.
   *
   * Rejects with SignerError `SIGNER_TARGET_INVALID`, `SIGNER_INPUT_INVALID`, `SIGNER_OPTION_INVALID` (clock,
   * nonce).
   */
  sign(input: SignInput): Promise<Signature>
  /**
   * Signs the serialized request of an event stream.
   *
   * @param requestBytes - The message that is sent, without gRPC's envelope. An empty message has a digest too.
   */
  signStream(requestBytes: Uint8Array): Promise<StreamSignature>
}

/** One asynchronous function, and one `await` where there is no body: each more would show in the time. */
export const promising: Runner = (draft) => async (input) => {
  const [mac, digest, headers, text, url] = draft(input)
  const message = messageOf(text, digest && (await digest), url)
  headers['x-signature'] = await mac(message)
  return new Signed(headers, url, message)
}
