/** Public names of the package: errors, `Secret`, ports, structural types, leases and the redactor. */
export { CoreError, type CoreErrorCode, type CoreErrorDetails, isCoreError } from './core-error.ts'
export {
  BrokerwireError,
  type BrokerwireErrorOptions,
  type ErrorDetails,
  type ErrorJson,
  errorGuard,
  isBrokerwireError,
} from './error.ts'
export type { AsyncStream, Batches } from './iteration/async-stream.ts'
export type { Closable } from './iteration/closable.ts'
export { createLease, type Lease, type LeaseOptions } from './leases/lease.ts'
export type {
  Operation,
  OperationIssue,
  OperationRateLimiter,
  OperationRequest,
  OperationRequestOptions,
  OperationResponseInput,
  PathFamily,
  RateLimit,
  RateLimits,
} from './operation.ts'
export type { QueryInput, QueryPair, SearchParamsLike } from './options/query-input.ts'
export type { ProxyAddress, ProxyOption } from './proxy/address.ts'
export { escapeControlChars } from './redaction/escape-control-chars.ts'
export { REDACTED } from './redaction/redacted.ts'
export { createRedactor, type Redactor } from './redaction/redactor.ts'
export { Secret, type SecretInput } from './redaction/secret.ts'
export type { Store, StoreLock, StoreWaitOptions } from './store.ts'
export type {
  BackfillGap,
  BackfillProblem,
  BackfillResult,
  BackfillRun,
  StateItem,
  StreamBackfill,
} from './stream-backfill.ts'
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
export type { ReconnectOptions } from './time/backoff.ts'
export { type Clock, systemClock } from './time/clock.ts'
export { createServerClock, type ServerClock, type ServerClockOptions } from './time/server-clock.ts'
export type { TokenProvider } from './token-provider.ts'
