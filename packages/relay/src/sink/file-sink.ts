/**
 * A stream as a file of JSON lines, which `tail -f` shows: the sink that needs nothing installed.
 *
 * What is acknowledged is on the disk. A part of a line, which was being written when its writer died, was not acknowledged, and
 * goes; a file that is none of a relay's stays as it is. One process writes at a time, by a lock of the store. A file that is
 * full is put aside, and the oldest one goes.
 */
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { StoreLock } from '@brokerwire/core'
import { notify, onAbort, withTimeoutOrUndefined } from '@brokerwire/core/internal'
import { isRelayError, type RelayError } from '../relay-error.ts'
import {
  type Acknowledged,
  type EventSink,
  entryBytes,
  type Oversize,
  type Retention,
  type SinkEntry,
  type SinkTail,
  type TailRequest,
} from './event-sink.ts'
import { classifyTrailer, encodeBatches, findLastLineEnd } from './file-lines.ts'
import { type FileSinkOptions, type FileSinkState, readFileSinkOptions } from './file-sink-options.ts'
import { linesOfAllFiles, readFileTail } from './file-tail.ts'
import { type PendingPublish, rejectAll } from './pending-publish.ts'
import { currentPath, listRotatedFiles, rotate, syncDirectory, writeProbe } from './rotated-files.ts'
import { fenced, sinkClosed, sinkMisconfigured, sinkUnavailable } from './sink-errors.ts'

/** Another writer that ends in good order has given its lock back by then. */
const LOCK_WAIT_MS = 2000
const RETRY_MS = 1000
/** Of one writing. A relay may let gigabytes wait, and no text of the engine holds half of one. */
const MAX_WRITE_BYTES = 4 * 1024 * 1024

/** Codes of a path that is no directory, or another user's. */
const PERMANENT_ERRORS = new Set(['EACCES', 'EEXIST', 'EISDIR', 'ELOOP', 'ENOTDIR', 'EPERM', 'EROFS'])

interface Waiting extends PendingPublish {
  readonly batch: readonly SinkEntry[]
}

/**
 * A stream as a file of JSON lines.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createFileSink } from '@brokerwire/relay'
 * import { createFileStore } from '@brokerwire/stores/file'
 *
 * const store = createFileStore({ directory: './state' })
 * await using sink = createFileSink({ directory: './events', name: 'brokerwire_sandbox_us_desk-a', store })
 * await sink.tail({ maxEntries: 0 })
 * await sink.publish([{ subject: 'a.b', key: '1', headers: {}, body: 'text' }])
 * ```
 */
export function createFileSink(options: FileSinkOptions): EventSink {
  return new FileSink(options)
}

class FileSink implements EventSink {
  readonly #options
  readonly #directory: string
  readonly #path: string
  #file: FileHandle | undefined
  #lock: StoreLock | undefined
  #stopListening = (): void => {}
  #waiting: Waiting[] = []
  #isWriting = false
  /** The last writing that was begun. */
  #writing: Promise<void> | undefined
  /** Of the last line. */
  #sequence = 0
  /** Where the last line ends. */
  #end = 0
  /** Why nothing is taken until the tail was read. */
  #endReason: RelayError | undefined
  #isClosed = false
  #isWaiting = false
  #wake = (): void => {}

  constructor(given: FileSinkOptions) {
    const options = readFileSinkOptions(given)
    this.#options = options
    const { name } = options
    this.#directory = resolve(options.directory)
    this.#path = currentPath(this.#directory, name)
    this.#endReason = sinkUnavailable(name, 'its tail was not read yet')
  }

  async tail(request: TailRequest): Promise<SinkTail> {
    this.#requireOpen()
    this.#stop(sinkUnavailable(this.#options.name, 'its tail is read anew'))
    await this.#writing
    try {
      const file = await this.#open()
      this.#end = await findLastLineEnd(file)
      const trailer = await classifyTrailer(file, this.#end)
      if (trailer === 'foreign') throw this.#foreign()
      if (trailer === 'complete-line') {
        await file.appendFile('\n')
        this.#end = await findLastLineEnd(file)
      }
      const fullFiles = () => listRotatedFiles(this.#directory, this.#options.name)
      const tail = await readFileTail(linesOfAllFiles(file, this.#end, fullFiles), request)
      if (tail === undefined) throw this.#foreign()
      // Only where all that is read is a relay's own.
      await file.truncate(this.#end)
      this.#requireOpen()
      this.#sequence = tail.sequence
      this.#endReason = undefined
      return { ...tail, retention: this.#retention }
    } catch (error) {
      // What cannot be given back is not why it failed.
      await this.#release().catch(() => {})
      throw isRelayError(error) ? error : this.#toRelayError(error)
    }
  }

  publish(batch: readonly SinkEntry[]): Promise<Acknowledged> {
    return new Promise((resolve, reject) => {
      this.#requireOpen()
      if (this.#endReason !== undefined) throw this.#endReason
      this.#waiting.push({ batch, resolve, reject })
      if (!this.#isWriting) this.#writing = this.#writeAll()
    })
  }

  oversize(entry: SinkEntry): Oversize | undefined {
    const { maxFileBytes: maxBytes } = this.#options
    // Each character of a text takes six bytes at most.
    if (3 * entryBytes(entry) <= maxBytes) return undefined
    const bytes = encodeBatches([{ batch: [entry] }], this.#sequence, 1).bytes.length
    return bytes <= maxBytes ? undefined : { bytes, maxBytes, setting: 'maxFileBytes' }
  }

  /** Writes a file beside the stream: a full disk, or a directory that is gone, is found before the next event. */
  async probe(): Promise<Retention> {
    this.#requireOpen()
    if (this.#endReason !== undefined) throw this.#endReason
    try {
      await writeProbe(this.#directory, this.#options.name)
    } catch (error) {
      throw this.#unavailable(error)
    }
    const sequence = this.#sequence
    const isUnchanged = this.#isWriting || (await this.#isUnchanged())
    // A write that began meanwhile looks by itself.
    if (!isUnchanged && !this.#isWriting && sequence === this.#sequence) throw this.#fence()
    return this.#retention
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stop(sinkClosed(this.#options.name))
    await this.#writing
    await this.#release()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #open(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file
    const { name, store, clock } = this.#options
    this.#lock = await withTimeoutOrUndefined(clock, LOCK_WAIT_MS, undefined, (signal) =>
      store.lock(`relay/sink/${name}`, { signal }),
    )
    if (this.#lock === undefined) throw sinkUnavailable(name, 'another process writes its file')
    const { lost } = this.#lock
    if (lost !== undefined) {
      this.#stopListening = onAbort(lost, () => {
        this.#stop(fenced(name, this.#sequence, undefined))
        // Nobody waits for it, and whoever reads the tail next takes both anew.
        this.#release().catch(() => {})
      })
    }
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    return this.#openCurrent()
  }

  async #openCurrent(): Promise<FileHandle> {
    this.#file = await open(this.#path, 'a+', 0o600)
    await syncDirectory(this.#directory)
    return this.#file
  }

  /** What came while the disk was busy is written in few parts, and each is on the disk with one waiting for it. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0 && this.#endReason === undefined) {
      const { bytes, ends } = encodeBatches(this.#waiting, this.#sequence, MAX_WRITE_BYTES)
      const calls = this.#waiting.slice(0, ends.length)
      if (bytes.length > 0 && !(await this.#write(bytes))) continue
      this.#sequence = ends.at(-1) as number
      this.#end += bytes.length
      this.#waiting.splice(0, calls.length)
      for (const [at, { resolve }] of calls.entries()) resolve({ sequence: ends[at] as number })
    }
    // At once, before those who were answered go on: what they publish next begins a writing of its own.
    this.#isWriting = false
  }

  /** @returns Whether it is on the disk. What was written in part is taken away again. */
  async #write(bytes: Buffer): Promise<boolean> {
    if (this.#end >= this.#options.maxFileBytes && !(await this.#rotate())) return false
    const file = this.#file
    if (file === undefined) return false
    try {
      if (!(await this.#isUnchanged())) {
        this.#fence()
        return false
      }
      await file.appendFile(bytes)
      await file.datasync()
      this.#report({ state: 'writing' })
      return true
    } catch (error) {
      this.#report({ state: 'waiting', reason: this.#unavailable(error).message })
      await file.truncate(this.#end).catch(() => {})
      await new Promise<void>((wake) => {
        const cancel = this.#options.clock.setTimer(wake, RETRY_MS)
        this.#wake = () => {
          cancel()
          wake()
        }
      })
      return false
    }
  }

  /** Whether the file is still the one that this writer knows, and ends where it knows. */
  async #isUnchanged(): Promise<boolean> {
    const found = await stat(this.#path).catch(() => undefined)
    return found?.size === this.#end && found.ino === (await this.#file?.stat())?.ino
  }

  #fence(): RelayError {
    const error = fenced(this.#options.name, this.#sequence, undefined)
    this.#stop(error)
    return error
  }

  /** The oldest of the full files is deleted when another one is full. */
  get #retention(): Retention {
    const { maxFileBytes, maxFiles } = this.#options
    return { maxBytes: maxFileBytes * (maxFiles - 1) }
  }

  /** Between two writings: what was acknowledged stays where it is, and a writer that dies here has lost nothing. */
  async #rotate(): Promise<boolean> {
    const { name, maxFiles } = this.#options
    const full = this.#file
    try {
      await rotate(this.#directory, name, this.#sequence, maxFiles)
      await this.#openCurrent()
      this.#end = 0
      await full?.close()
      return true
    } catch (error) {
      // Whoever reads the tail next begins where this one stopped.
      this.#stop(this.#unavailable(error))
      return false
    }
  }

  #stop(error: RelayError): void {
    this.#endReason = error
    this.#wake()
    rejectAll(this.#waiting, error)
  }

  async #release(): Promise<void> {
    this.#stopListening()
    const file = this.#file
    const lock = this.#lock
    this.#file = undefined
    this.#lock = undefined
    try {
      await file?.close()
    } finally {
      await lock?.release()
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw sinkClosed(this.#options.name)
  }

  #report(state: FileSinkState): void {
    const isWaiting = state.state === 'waiting'
    if (isWaiting === this.#isWaiting) return
    this.#isWaiting = isWaiting
    const { onState } = this.#options
    if (onState !== undefined) notify(() => onState(state))
  }

  #unavailable(error: unknown): RelayError {
    return sinkUnavailable(this.#options.name, errorCode(error), error)
  }

  #foreign(): RelayError {
    const { name } = this.#options
    const text = `the file of ${name} has a line that no relay wrote: move the file aside, its lines stay readable`
    return sinkMisconfigured(name, text, {
      setting: 'file',
      expected: 'lines of a relay',
      received: 'another line',
    })
  }

  /** What waiting does not mend is no trouble of the moment. */
  #toRelayError(error: unknown): RelayError {
    const code = errorCode(error)
    if (!PERMANENT_ERRORS.has(code)) return this.#unavailable(error)
    const { name, directory } = this.#options
    const text = `the files of ${name} cannot be written in ${directory}: ${code}: give a directory that this user may write`
    const mismatch = { setting: 'directory', expected: 'a directory to write to', received: code }
    return sinkMisconfigured(name, text, mismatch, error)
  }
}

const errorCode = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'an error'
