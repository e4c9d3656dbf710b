/** What every package of the toolkit shares: errors, ports, structural types, small checks. */
export {
  type AbortControllerLike,
  abortable,
  abortReason,
  linkedAbort,
  onAbort,
  ownAbort,
  throwIfAborted,
} from './abort.ts'
export {
  type BackoffBounds,
  backoffMs,
  type ConnectionLimitBounds,
  connectionLimitMs,
  isLingering,
  RECONNECT_ROWS,
  type ReconnectOptions,
} from './backoff.ts'
export { toBytes, utf8Decode, utf8Encode } from './bytes.ts'
export { type Clock, sleep, systemClock } from './clock.ts'
export { allClosed, type Closable, closable } from './closable.ts'
export { type Batches, type Consumer, createConsumer, ItemSource, type Producer } from './consumer.ts'
export { ConsumerGroup } from './consumer-group.ts'
export {
  CoreError,
  type CoreErrorCode,
  type CoreErrorDetails,
  coreOptionFailure,
  isCoreError,
} from './core-error.ts'
export { encodeName } from './encode-name.ts'
export {
  BrokerwireError,
  type BrokerwireErrorOptions,
  ERROR_BRAND,
  type ErrorDetails,
  type ErrorJson,
  errorGuard,
  isBrokerwireError,
} from './error.ts'
export { Fifo } from './fifo.ts'
export { describe, isRecord, unreachable } from './guards.ts'
export { parseJsonObject } from './json-object.ts'
export { JsonLineError, type JsonWithLines, readJsonWithLines } from './json-with-lines.ts'
export { requireKnownOptions, requireOptions } from './known-options.ts'
export { createLease, type Lease, type LeaseOptions } from './lease.ts'
export {
  entryTaker,
  type LeaseEntry,
  type LeaseEntryPort,
  type LeaseTaker,
  type LeaseTerms,
  lockByLease,
} from './lock-by-lease.ts'
export { disarm, type MachinePorts, MachineRunner, partOf, type Unstamped } from './machine-runner.ts'
export { nearestName } from './nearest-name.ts'
export { notify } from './notify.ts'
export {
  anyRow,
  booleanRow,
  clockRow,
  durationRow,
  functionRow,
  integerRow,
  listRow,
  type OptionRow,
  type OptionsRead,
  objectRow,
  oneOfRow,
  optionalRow,
  portRow,
  readOptions,
  signalRow,
  tableRow,
  textRow,
} from './option-table.ts'
export {
  type OptionFailure,
  readBoolean,
  readFunction,
  readInteger,
  readOneOf,
  readSignal,
  requireFunction,
  requireObject,
  requirePort,
  requireSecret,
  requireText,
} from './options.ts'
export { readOrigin } from './origin.ts'
export { ownOption, ownOptions } from './own-options.ts'
export { printable, printableJson } from './printable.ts'
export { type QueryInput, type QueryPair, readQueryInput, type SearchParamsLike } from './query-input.ts'
export { REDACTED } from './redacted.ts'
export { createRedactor, type Redactor } from './redactor.ts'
export { revealSecret } from './reveal-secret.ts'
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
export { limitedAbort, timeoutError, withinLimit, withTimeLimit } from './time-limit.ts'
