/**
 * Signatures of the brokerage open API. This entry point is the same on every runtime, because `#crypto`
 * resolves to the hash functions of the runtime.
 */
export type { QueryInput, QueryPair, SearchParamsLike } from '@brokerwire/core'
export type { DigestName, MacHash, SignatureAlgorithm } from './algorithms.ts'
export {
  type CanonicalParts,
  canonicalString,
  type SignedParts,
  type StreamCanonicalParts,
  streamCanonicalString,
} from './canonical-request.ts'
export type { Cause, CauseName } from './causes.ts'
export { type Comparison, compare } from './compare.ts'
export { createSigner, type Signer } from './create-signer.ts'
export type { Hashing, SignerCrypto } from './crypto/port.ts'
export { encodeCanonical } from './encode.ts'
export { type EntrySource, type ExplainedEntry, type Explanation, explain } from './explain.ts'
export { fromUrl, type UrlParts } from './from-url.ts'
export type { HeadersInput } from './headers.ts'
export {
  createInMemoryNonceStore,
  type InMemoryNonceStore,
  type InMemoryNonceStoreOptions,
  type NonceRecord,
  type NonceStatus,
  type NonceStore,
} from './in-memory-nonce-store.ts'
export type { HeaderCollision, NameOrder } from './order.ts'
export type { RecordedRequest, RecordedStream, UrlInput } from './recorded.ts'
export { type SignRequestOptions, signRequest } from './sign-request.ts'
export type { Signature, SignatureHeaders, StreamSignature } from './signature.ts'
export { isSignerError, SignerError, type SignerErrorCode, type SignerErrorDetails } from './signer-error.ts'
export type { SignerOptions } from './signer-options.ts'
export type { TargetInput } from './target.ts'
export type { SignInput } from './unsigned-request.ts'
export {
  createVerifier,
  type Verifier,
  type VerifierOptions,
  type VerifyInput,
  type VerifyStreamInput,
} from './verifier.ts'
export type { NonceFormat } from './verify-headers.ts'
export type { SecretLookup } from './verify-keys.ts'
export type { VerifyFailure, VerifyResult, VerifyRule } from './verify-result.ts'
