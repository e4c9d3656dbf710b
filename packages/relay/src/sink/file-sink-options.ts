/** Options of a file sink, with their defaults. */
import type { Clock, Store } from '@brokerwire/core'
import {
  clock,
  type FieldsOf,
  filePath,
  func,
  integer,
  optional,
  port,
  readOptions,
  string,
} from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'
import type { SinkState } from './event-sink.ts'

/** Options of `createFileSink`. Read once. */
export interface FileSinkOptions {
  /** The directory of the files. Created with mode 0700 if it is missing. */
  readonly directory: string
  /** The name of the stream. The file is `NAME.jsonl` with mode 0600. */
  readonly name: string
  /** A store with a lock, shared by all processes that may write the file: `createFileStore` of `@brokerwire/stores/file`. */
  readonly store: Store
  /**
   * A longer file is renamed to `NAME.SEQUENCE.jsonl`, by the sequence of its last line, before the next line is written. Bytes.
   * @defaultValue 128 MiB
   */
  readonly maxFileBytes?: number | undefined
  /** The most files, including the current one. The oldest is deleted. @defaultValue 16 */
  readonly maxFiles?: number | undefined
  /** The clock of timers. @defaultValue the system clock */
  readonly clock?: Clock | undefined
  /** Called when the file cannot be written for now, for example on a full disk, and when it can be written again. */
  readonly onState?: ((state: SinkState) => void) | undefined
}

const OPTIONS = {
  directory: filePath,
  name: string({ pattern: /^[\w-]{1,200}$/, expected: '1 to 200 letters, digits, _ and -', isName: true }),
  store: port<Store & { lock: NonNullable<Store['lock']> }>(['get', 'compareAndSet', 'lock']),
  maxFileBytes: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 128 * 1024 * 1024 }),
  maxFiles: integer({ min: 2, max: 10_000, default: 16 }),
  clock,
  onState: optional(func<NonNullable<FileSinkOptions['onState']>>()),
} satisfies FieldsOf<FileSinkOptions>

/** @throws RelayError `RELAY_OPTION_INVALID`. */
export function readFileSinkOptions(options: FileSinkOptions) {
  return readOptions(optionFailure, options, OPTIONS)
}
