/**
 * A log of JSON lines in a file: what is appended has been handed to the operating system when the call returns, so a
 * process that is killed afterwards has lost nothing. It is no protection against the loss of power.
 *
 * The file holds secrets: it is made with mode 0600, and one that others can read is refused. It is written anew, beside
 * and then in the place of the old one, once it has grown to more than twice what is live.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { SimulatorError } from '../simulator-error.ts'
import { failed, lockState, reasonOf } from './state-lock.ts'
import { parseRecord, type StateRecord } from './state-record.ts'

/** An open state file. */
export interface StateFile {
  /** What the file held, in order. */
  readonly records: readonly StateRecord[]
  /** Appends. @throws SimulatorError `SIMULATOR_STATE_FAILED`; nothing was appended then. */
  append(record: StateRecord): void
  /** Says where all that is live comes from, writes it anew, and does so again whenever it is worth it. */
  compactFrom(live: () => Iterable<StateRecord>): void
  close(): void
}

/** Longer ones would not fit a text. */
const MAX_BYTES = 512 * 1024 * 1024 - 64
/** Lines beyond those that were live at the last compaction, at which it may be worth another. */
const SLACK_LINES = 20_000
const SLACK_BYTES = 16 * 1024 * 1024
const CHUNK_CHARACTERS = 1_048_576
const NOT_FOLLOWED = constants.O_NOFOLLOW ?? 0

/**
 * Opens the file, or makes it.
 *
 * @throws SimulatorError `SIMULATOR_STATE_FAILED`, `SIMULATOR_STATE_INVALID`
 */
export function openStateFile(given: string): StateFile {
  const path = resolve(given)
  const unlock = lockState(path)
  let fd: number
  let records: readonly StateRecord[]
  let size: number
  try {
    fd = attempt(path, () =>
      openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | NOT_FOLLOWED, 0o600),
    )
    requirePrivate(path, fd)
    ;({ records, size } = read(path, fd))
    // What a killed process left without its end was never answered.
    attempt(path, () => ftruncateSync(fd, size))
  } catch (error) {
    unlock()
    throw error
  }
  let isClosed = false
  let live: (() => Iterable<StateRecord>) | undefined
  let lines = records.length
  let limit = { lines: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

  const compact = (): void => {
    if (live === undefined) return
    const fresh = `${path}.new`
    rmSync(fresh, { force: true })
    const next = attempt(path, () =>
      openSync(fresh, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600),
    )
    let written = 0
    let count = 0
    let chunk = ''
    for (const record of live()) {
      chunk += `${JSON.stringify(record)}\n`
      count += 1
      if (chunk.length < CHUNK_CHARACTERS) continue
      written += writeAll(path, next, chunk)
      chunk = ''
    }
    written += writeAll(path, next, chunk)
    attempt(path, () => {
      fsyncSync(next)
      renameSync(fresh, path)
    })
    closeSync(fd)
    fd = next
    size = written
    lines = count
    limit = { lines: count * 2 + SLACK_LINES, bytes: written * 2 + SLACK_BYTES }
  }

  return {
    records,
    append(record) {
      // Before it is written: what is live may not hold it yet.
      if (lines > limit.lines || size > limit.bytes) compact()
      const before = size
      try {
        size += writeAll(path, fd, `${JSON.stringify(record)}\n`)
      } catch (error) {
        // Half a line would spoil the next one.
        attempt(path, () => ftruncateSync(fd, before))
        throw error
      }
      lines += 1
    },
    compactFrom(source) {
      live = source
      compact()
    },
    close() {
      if (isClosed) return
      isClosed = true
      closeSync(fd)
      unlock()
    },
  }
}

function read(path: string, fd: number): { readonly records: readonly StateRecord[]; readonly size: number } {
  const length = fstatSync(fd).size
  if (length > MAX_BYTES) throw failed(path, `it is larger than ${MAX_BYTES} bytes`)
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const count = attempt(path, () => readSync(fd, bytes, filled, length - filled, filled))
    if (count === 0) break
    filled += count
  }
  const size = bytes.lastIndexOf(0x0a) + 1
  // A file of ours begins with a whole line: it was written beside and moved to its place.
  if (size === 0 && length > 0) throw invalid(path, 1, 'it does not end')
  const lines = bytes.toString('utf8', 0, size).split('\n').slice(0, -1)
  const records = lines.map((line, index) => {
    const record = parseRecord(line)
    if (typeof record === 'string') throw invalid(path, index + 1, record)
    if ((record.kind === 'simulator') === (index === 0)) return record
    throw invalid(path, index + 1, "kind: expected 'simulator' in the first line, and in no other")
  })
  return { records, size }
}

/** The error for a line that cannot be taken. */
export function invalid(
  path: string,
  line: number,
  reason: string,
): SimulatorError<'SIMULATOR_STATE_INVALID'> {
  const message = `stateFile: ${path}, line ${line}: ${reason}`
  return new SimulatorError('SIMULATOR_STATE_INVALID', message, { details: { path, line, reason } })
}

function writeAll(path: string, fd: number, text: string): number {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    written += attempt(path, () => writeSync(fd, bytes, written))
  }
  return written
}

function requirePrivate(path: string, fd: number): void {
  const found = fstatSync(fd)
  if (!found.isFile()) throw failed(path, 'it is no regular file')
  const isOpen = process.platform !== 'win32' && (found.mode & 0o077) !== 0
  if (!isOpen) return
  const mode = (found.mode & 0o777).toString(8)
  throw failed(path, `it holds secrets and must have mode 600, and has ${mode}`)
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw failed(path, reasonOf(error), error)
  }
}
