/** The names that are the same on every runtime; the entry points add `createSigner` and `createVerifier`. */
export type { DigestName, MacHash, SignatureAlgorithm } from './algorithms.ts'
export {
  type CanonicalParts,
  canonicalString,
  type SignedParts,
  type StreamCanonicalParts,
  streamCanonicalString,
} from './canonical.ts'
export type { CapturedRequest, CapturedStream, UrlInput } from './captured.ts'
export type { Cause, CauseName } from './causes.ts'
export type { HeaderCollision } from './collision.ts'
export type { Comparison } from './compare.ts'
export type { Signer } from './create-signer.ts'
export type { SignerCrypto } from './crypto/port.ts'
export { encodeCanonical } from './encode.ts'
export type { EntrySource, ExplainedEntry, Explanation } from './explain.ts'
export { fromUrl } from './from-url.ts'
export type { HeadersInput } from './headers.ts'
export {
  createNonceMemory,
  type NonceMemory,
  type NonceMemoryOptions,
  type NonceStore,
  type NonceVerdict,
  type UsedNonce,
} from './nonce-memory.ts'
export type { NameOrder } from './order.ts'
export type { QueryPair } from './query.ts'
export { type SignRequestOptions, signRequest } from './sign-request.ts'
export type { Signature, SignatureHeaders, SignerOptions, SignInput, StreamSignature } from './signer.ts'
export { isSignerError, SignerError, type SignerErrorCode, type SignerErrorDetails } from './signer-error.ts'
export type { TargetInput } from './target.ts'
export type {
  SecretLookup,
  Verifier,
  VerifierOptions,
  VerifyInput,
  VerifyResult,
  VerifyRule,
  VerifyStreamInput,
} from './verifier.ts'
