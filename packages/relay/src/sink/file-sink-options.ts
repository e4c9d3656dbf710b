/** Options of a file sink, with their defaults. */
import type { Clock, Store } from '@brokerwire/core'
import {
  boolean,
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

/** Options of `createFileSink`. They are read once. */
export interface FileSinkOptions {
  /** The directory of the files. Created with mode 0700 if it is missing. */
  readonly directory: string
  /** The name of the stream. The file is `NAME.jsonl` with mode 0600. */
  readonly name: string
  /** A store with a lock, shared by all processes that may write the file: `createFileStore` of `@brokerwire/stores/file`. */
  readonly store: Store
  /**
   * The length after which the file is renamed, bytes. The new name is `NAME.SEQUENCE.jsonl`, with the
   * sequence of the last line. The file is renamed before the next line is written.
   * @defaultValue 128 MiB
   */
  readonly maxFileBytes?: number | undefined
  /** Adds the attributes of CloudEvents 1.0 as headers `ce-id`, `ce-source`, `ce-type` and so on. @defaultValue false */
  readonly cloudEvents?: boolean | undefined
  /** Maximum number of files, including the current one. The oldest file is deleted. @defaultValue 16 */
  readonly maxFiles?: number | undefined
  /** The clock of timers. @defaultValue the system clock */
  readonly clock?: Clock | undefined
  /**
   * Called when the file temporarily cannot be written, for example on a full disk, and when it can be
   * written again.
   */
  readonly onState?: ((state: SinkState) => void) | undefined
}

const OPTIONS = {
  directory: filePath,
  name: string({ pattern: /^[\w-]{1,200}$/, expected: '1 to 200 letters, digits, _ and -', isName: true }),
  store: port<Store & { lock: NonNullable<Store['lock']> }>(['get', 'compareAndSet', 'lock']),
  maxFileBytes: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 128 * 1024 * 1024 }),
  cloudEvents: boolean(false),
  maxFiles: integer({ min: 2, max: 10_000, default: 16 }),
  clock,
  onState: optional(func<NonNullable<FileSinkOptions['onState']>>()),
} satisfies FieldsOf<FileSinkOptions>

/** Checks the options. @throws RelayError `RELAY_OPTION_INVALID`. */
export function readFileSinkOptions(options: FileSinkOptions) {
  return readOptions(optionFailure, options, OPTIONS)
}
