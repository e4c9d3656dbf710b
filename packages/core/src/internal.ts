/**
 * Functions that the packages of this repository share. They are outside of semantic versioning: do not
 * import them.
 */
export { coreOptionFailure } from './core-error.ts'
export { deepFreeze } from './deep-freeze.ts'
export { ENDPOINT_OPTIONS } from './endpoints/resolve.ts'
export { oldRecordKey, recordKey, serviceIdentity } from './endpoints/service-identity.ts'
export { ERROR_BRAND, ERRORS_PAGE } from './error.ts'
export { getMigrated } from './get-migrated.ts'
export { isRecord, typeName, unreachable } from './guards.ts'
export {
  AsyncQueue,
  type AsyncStreamErrors,
  createAsyncStream,
  type Producer,
} from './iteration/async-stream.ts'
export { allClosed, closable } from './iteration/closable.ts'
export { notify } from './iteration/notify.ts'
export { Queue } from './iteration/queue.ts'
export { StreamGroup } from './iteration/stream-group.ts'
export {
  type AcquireLeaseOptions,
  acquireLease,
  casLeaseBackend,
  type LeaseBackend,
  type LeaseEntry,
  type LeaseEntryPort,
} from './leases/lease-lock.ts'
export { acquireStoreLease } from './leases/store-lease.ts'
export { limitStore } from './limit-store.ts'
export { createReporter, observer, type Reporter } from './observer.ts'
export { didYouMean } from './options/did-you-mean.ts'
export {
  knownNames,
  missingOptions,
  type OptionFailure,
  optionMessage,
  received,
  receivedName,
  shownName,
  unknownOption,
  wrongName,
  wrongText,
} from './options/failure.ts'
export {
  type ForbiddenHeaders,
  headers,
  RESERVED_HEADERS,
  requireHeaderValue,
} from './options/headers.ts'
export { isLoopback, origin, readOrigin, requireSecureOrigin } from './options/origin.ts'
export { ownOption, ownOptions } from './options/own-options.ts'
export { describeQueryInput, readQueryInput } from './options/query-input.ts'
export {
  array,
  boolean,
  clock,
  custom,
  duration,
  type Fields,
  type FieldsOf,
  filePath,
  func,
  type Infer,
  type InferFields,
  integer,
  knownOptions,
  object,
  omit,
  oneOf,
  optional,
  port,
  readOptions,
  type Schema,
  secret,
  signal,
  string,
  unchecked,
} from './options/schema.ts'
export { quoteTable, sqlTable } from './options/sql-table.ts'
export { findProxy, type HttpProxy, proxyOption } from './proxy/address.ts'
export { escapeJsonControlChars } from './redaction/escape-control-chars.ts'
export { revealSecret } from './redaction/reveal-secret.ts'
export {
  classifyFailure,
  type Failure,
  type FailureClass,
  GRPC_STATUS_CLASSES,
  type GrpcStatusName,
  isCredentialStatus,
} from './retry/classify-failure.ts'
export { parseHttpDate, parseRetryAfter } from './retry/http-times.ts'
export { isRejection } from './retry/is-rejection.ts'
export { type BoundedRetry, boundedRetryAfterMs, nextRetry, rejectionWaitMs } from './retry/retry-waits.ts'
export { concatBytes, stripByteOrderMark, toBytes, utf8Decode, utf8Encode } from './text/bytes.ts'
export { durationText } from './text/duration-text.ts'
export { encodeName } from './text/encode-name.ts'
export { parseJsonObject } from './text/json-object.ts'
export {
  JsonLineError,
  type JsonWithLines,
  readJsonWithLines,
  type TextPosition,
} from './text/json-with-lines.ts'
export { outerSpace, stripLineEnd } from './text/outer-space.ts'
export { randomHex } from './text/random-hex.ts'
export { separateWords } from './text/separate-words.ts'
export {
  type AbortControllerLike,
  abortable,
  abortReason,
  addAbortListener,
  createAbortController,
  createHostController,
  createLinkedController,
  throwIfAborted,
} from './time/abort.ts'
export {
  type BackoffBounds,
  backoffMs,
  type ConnectionLimitBounds,
  connectionLimitMs,
  isSlotStillHeld,
  RECONNECT_OPTIONS,
} from './time/backoff.ts'
export { sleep } from './time/clock.ts'
export {
  clearTimers,
  type EventInput,
  type MachinePorts,
  MachineRunner,
  pick,
} from './time/machine-runner.ts'
export {
  createTimeoutController,
  timeoutError,
  withTimeout,
  withTimeoutOrUndefined,
} from './time/time-limit.ts'
