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

/** Options of `createFileSink`. Read once. */
export interface FileSinkOptions {
  /** Made with mode 0700 where it is missing. */
  readonly directory: string
  /** Of the stream: the file is `NAME.jsonl`, mode 0600. */
  readonly name: string
  /** A store with a lock, shared by all processes that may write the file: `createFileStore` of `@brokerwire/stores/file`. */
  readonly store: Store
  /**
   * A file that is longer is put aside as `NAME.NUMBER.jsonl`, by the number of its last line, before the next line.
   * @defaultValue 128 MiB
   */
  readonly maxFileBytes?: number | undefined
  /** Files that are kept, the one that is written among them. @defaultValue 16 */
  readonly maxFiles?: number | undefined
  readonly clock?: Clock | undefined
  /** Told when the file cannot be written for now, as on a full disk, and when it can again. */
  readonly onState?: ((state: FileSinkState) => void) | undefined
}

/** Whether the file can be written. */
export type FileSinkState =
  | { readonly state: 'writing' }
  /** It is tried again, for as long as it takes. */
  | { readonly state: 'waiting'; readonly reason: string }

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
