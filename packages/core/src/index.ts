/** Public names of the package: errors, `Secret`, ports, structural types, leases and the redactor. */
export type { ReconnectOptions } from './backoff.ts'
export { type Clock, systemClock } from './clock.ts'
export type { Closable } from './closable.ts'
export type { Batches, Consumer } from './consumer.ts'
export { CoreError, type CoreErrorCode, type CoreErrorDetails, isCoreError } from './core-error.ts'
export {
  BrokerwireError,
  type BrokerwireErrorOptions,
  type ErrorDetails,
  type ErrorJson,
  errorGuard,
  isBrokerwireError,
} from './error.ts'
export { createLease, type Lease, type LeaseOptions } from './lease.ts'
export { printable } from './printable.ts'
export type { QueryInput, QueryPair, SearchParamsLike } from './query-input.ts'
export { REDACTED } from './redacted.ts'
export { createRedactor, type Redactor } from './redactor.ts'
export { Secret, type SecretInput } from './secret.ts'
export { createServerClock, type ServerClock, type ServerClockOptions } from './server-clock.ts'
export type { Store, StoreLock, StoreWaitOptions } from './store.ts'
export type {
  AbortSignalLike,
  AsyncDisposableLike,
  ByteReaderLike,
  BytesLike,
  DisposableLike,
  FetchInit,
  FetchLike,
  HeadersLike,
  OwnedBytes,
  RequestLike,
  ResponseLike,
} from './structural.ts'
