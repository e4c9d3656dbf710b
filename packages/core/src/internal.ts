/** Toolkit that the packages of this repository share. It is outside semantic versioning: do not import it. */
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
} from './backoff.ts'
export { toBytes, utf8Decode, utf8Encode } from './bytes.ts'
export { sleep } from './clock.ts'
export { allClosed, closable } from './closable.ts'
export { createConsumer, ItemSource, type Producer } from './consumer.ts'
export { ConsumerGroup } from './consumer-group.ts'
export { coreOptionFailure } from './core-error.ts'
export { encodeName } from './encode-name.ts'
export { ERROR_BRAND } from './error.ts'
export { Fifo } from './fifo.ts'
export { describe, isRecord, unreachable } from './guards.ts'
export { parseJsonObject } from './json-object.ts'
export { JsonLineError, type JsonWithLines, readJsonWithLines } from './json-with-lines.ts'
export { requireKnownOptions, requireOptions } from './known-options.ts'
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
export { printableJson } from './printable.ts'
export { readQueryInput } from './query-input.ts'
export { revealSecret } from './reveal-secret.ts'
export { limitedAbort, timeoutError, withinLimit, withTimeLimit } from './time-limit.ts'
