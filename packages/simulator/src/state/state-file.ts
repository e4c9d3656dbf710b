/**
 * A log of JSON lines in a file. When an append returns, the operating system has the line, so a killed
 * process loses nothing. A power failure may lose lines. The file contains secrets: it is created with mode
 * 0600, and rejected if other users can read it. When the file has grown to more than twice the size that it
 * had after the last compaction, the live records are written to a new file, which replaces the old one.
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
import { completeLines, formatLine, MAX_LINE_BYTES } from './state-lines.ts'
import { getErrorCode, lockState, stateFailure } from './state-lock.ts'
import { parseRecord, type StateRecord } from './state-record.ts'

/** An open state file. */
export interface StateFile {
  /** Records in the file when it was opened, in order. */
  readonly records: readonly StateRecord[]
  /**
   * Appends a record.
   *
   * @throws SimulatorError `SIMULATOR_STATE_FAILED`. If it throws, nothing was appended.
   */
  append(record: StateRecord): void
  /**
   * Sets the source of live records and compacts the file. Later an append compacts the file again if it has
   * grown enough.
   */
  compactFrom(live: () => Iterable<StateRecord>): void
  close(): void
}

/**
 * The file is compacted again when it has more than twice the lines of the last compaction plus this number.
 */
const SLACK_LINES = 20_000
const SLACK_BYTES = 16 * 1024 * 1024
const CHUNK_CHARACTERS = 1_048_576
const TOO_LONG = `must not be longer than ${MAX_LINE_BYTES} bytes`
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0

/**
 * Opens or creates the file.
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
    fd = withStateError(path, () =>
      openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW, 0o600),
    )
    requirePrivate(path, fd)
    ;({ records, size } = readRecords(path, fd))
    // An incomplete last line, from a killed process, is removed. No response has confirmed it.
    withStateError(path, () => ftruncateSync(fd, size))
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
    const next = withStateError(path, () =>
      openSync(fresh, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600),
    )
    let written = 0
    let count = 0
    let chunk = ''
    for (const record of live()) {
      const line = encodeLine(path, record)
      if (chunk.length + line.length > CHUNK_CHARACTERS) {
        written += writeAll(path, next, chunk)
        chunk = ''
      }
      chunk += line
      count += 1
    }
    written += writeAll(path, next, chunk)
    withStateError(path, () => {
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
      const line = encodeLine(path, record)
      // The file is compacted before the append, because the live records may not contain the new record yet.
      if (lines > limit.lines || size > limit.bytes) compact()
      const before = size
      try {
        size += writeAll(path, fd, line)
      } catch (error) {
        // An incomplete line is removed, because the next line would be appended to it.
        withStateError(path, () => ftruncateSync(fd, before))
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

function readRecords(
  path: string,
  fd: number,
): { readonly records: readonly StateRecord[]; readonly size: number } {
  const records: StateRecord[] = []
  let size = 0
  const readAt = (bytes: Buffer, place: number): number =>
    withStateError(path, () => readSync(fd, bytes, 0, bytes.length, place))
  for (const { text, end } of completeLines(readAt)) {
    const line = records.length + 1
    if (text === undefined) throw invalidState(path, line, TOO_LONG)
    const record = parseRecord(text)
    if (typeof record === 'string') throw invalidState(path, line, record)
    if ((record.kind === 'simulator') !== (line === 1)) {
      throw invalidState(path, line, 'kind must be "simulator" in the first line and in no other')
    }
    records.push(record)
    size = end
  }
  // The simulator creates the file with a complete first line, because it writes the content to another file
  // and renames that file. Therefore it has not created a file without a complete first line.
  if (size === 0 && fstatSync(fd).size > 0) throw invalidState(path, 1, 'the line must be complete')
  return { records, size }
}

function encodeLine(path: string, record: StateRecord): string {
  const line = formatLine(record)
  if (line === undefined) throw stateFailure(path, `a line ${TOO_LONG}`)
  return line
}

/** Creates the error of an invalid line. */
export function invalidState(
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
    written += withStateError(path, () => writeSync(fd, bytes, written))
  }
  return written
}

function requirePrivate(path: string, fd: number): void {
  const found = fstatSync(fd)
  if (!found.isFile()) throw stateFailure(path, 'must be a regular file')
  const isOpen = process.platform !== 'win32' && (found.mode & 0o077) !== 0
  if (!isOpen) return
  const mode = (found.mode & 0o777).toString(8)
  throw stateFailure(path, `must have mode 600, because it contains secrets; received ${mode}`)
}

function withStateError<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw stateFailure(path, getErrorCode(error), error)
  }
}
