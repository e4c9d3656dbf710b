/**
 * A sink that writes a stream to a file of JSON lines. It needs no server, and `tail -f` shows the events.
 *
 * Acknowledged messages are on the disk. A partial line, whose writer died, was not acknowledged and is
 * removed. A file with lines of other programs is rejected. Such a file is changed only if its last line is
 * of a relay and has no line end, which is then added. A lock of the store lets one process write at a time.
 * A full file is rotated, and the oldest rotated file is deleted.
 */
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { StoreLock } from '@brokerwire/core'
import { addAbortListener, withTimeoutOrUndefined } from '@brokerwire/core/internal'
import { isRelayError, type RelayError } from '../relay-error.ts'
import { addCloudEventHeaders } from '../wire/cloud-events.ts'
import {
  type EventSink,
  entryBytes,
  type Oversize,
  type PublishAck,
  type Retention,
  type SinkEntry,
  type SinkTail,
  type TailRequest,
} from './event-sink.ts'
import { fileUnavailable, foreignFile, toRelayError } from './file-errors.ts'
import { classifyTrailer, encodeBatches, findLastLineEnd } from './file-lines.ts'
import { type FileSinkOptions, readFileSinkOptions } from './file-sink-options.ts'
import { linesOfAllFiles, readFileTail, readLastSequence } from './file-tail.ts'
import { type PendingPublish, rejectAll } from './pending-publish.ts'
import { currentPath, listRotatedFiles, rotate, syncDirectory, writeProbe } from './rotated-files.ts'
import { sinkClosed, sinkUnavailable, streamTruncated, writerFenced } from './sink-errors.ts'
import { StateReporter } from './state-reporter.ts'

/** How long to wait for the lock. A writer that is closing releases it within this time. */
const LOCK_WAIT_MS = 2000
const RETRY_MS = 1000
/**
 * After this many bytes, a write takes no more batches. Gigabytes may wait, which is more than a string can
 * contain.
 */
const MAX_WRITE_BYTES = 4 * 1024 * 1024

interface Waiting extends PendingPublish {
  readonly batch: readonly SinkEntry[]
}

/**
 * Creates a sink that writes a stream to a file of JSON lines.
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
  /** The last write that was started. */
  #writing: Promise<void> | undefined
  /** The sequence of the last line. */
  #sequence = 0
  /** The offset after the last line. */
  #end = 0
  /** The reason why the tail must be read before the next call of `publish`. */
  #endReason: RelayError | undefined
  #isClosed = false
  readonly #state: StateReporter
  #wake = (): void => {}

  constructor(given: FileSinkOptions) {
    const options = readFileSinkOptions(given)
    this.#options = options
    const { name } = options
    this.#state = new StateReporter(options)
    this.#directory = resolve(options.directory)
    this.#path = currentPath(this.#directory, name)
    this.#endReason = sinkUnavailable(name, 'its tail must be read before publishing')
  }

  async tail(request: TailRequest): Promise<SinkTail> {
    this.#requireOpen()
    this.#stop(sinkUnavailable(this.#options.name, 'its tail is being read again'))
    await this.#writing
    try {
      // Opened again, because the path may have another file now.
      await this.#file?.close()
      this.#file = undefined
      const file = await this.#open()
      this.#end = await findLastLineEnd(file)
      const trailer = await classifyTrailer(file, this.#end)
      if (trailer === 'foreign') throw foreignFile(this.#options.name)
      if (trailer === 'complete-line') {
        await file.appendFile('\n')
        this.#end = await findLastLineEnd(file)
      }
      const fullFiles = () => listRotatedFiles(this.#directory, this.#options.name)
      const tail = await readFileTail(linesOfAllFiles(file, this.#end, fullFiles), request)
      if (tail === undefined) throw foreignFile(this.#options.name)
      // Removes a partial line only now, when all lines that were read are known to be a relay's.
      await file.truncate(this.#end)
      this.#requireOpen()
      this.#sequence = tail.sequence
      this.#endReason = undefined
      return { ...tail, retention: this.#retention }
    } catch (error) {
      // An error of the cleanup is ignored, because the first error is the reason.
      await this.#release().catch(() => {})
      throw isRelayError(error) ? error : toRelayError(this.#options, error)
    }
  }

  publish(batch: readonly SinkEntry[]): Promise<PublishAck> {
    return new Promise((resolve, reject) => {
      this.#requireOpen()
      if (this.#endReason !== undefined) throw this.#endReason
      this.#waiting.push({ batch: this.#toStored(batch), resolve, reject })
      if (!this.#isWriting) this.#writing = this.#writeAll()
    })
  }

  checkSize(entry: SinkEntry): Oversize | undefined {
    const { maxFileBytes: maxBytes } = this.#options
    const [stored] = this.#toStored([entry]) as [SinkEntry]
    // A line has at most six bytes for each character of a string. `entryBytes()` counts two.
    if (3 * entryBytes(stored) <= maxBytes) return undefined
    const messageBytes = encodeBatches([{ batch: [stored] }], this.#sequence, 1).bytes.length
    return messageBytes <= maxBytes ? undefined : { messageBytes, maxBytes, setting: 'maxFileBytes' }
  }

  /** Writes a file next to the stream, to detect a full disk or a deleted directory before the next event. */
  async probe(): Promise<Retention> {
    this.#requireOpen()
    if (this.#endReason !== undefined) throw this.#endReason
    try {
      await writeProbe(this.#directory, this.#options.name)
    } catch (error) {
      throw this.#unavailable(error)
    }
    const sequence = this.#sequence
    const change = this.#isWriting ? undefined : await this.#findChange()
    // A write that started meanwhile checks the file itself.
    if (change !== undefined && !this.#isWriting && sequence === this.#sequence) {
      this.#stop(change)
      throw change
    }
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
    if (this.#lock === undefined) await this.#acquireLock()
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    return this.#openCurrent()
  }

  async #acquireLock(): Promise<void> {
    const { name, store, clock } = this.#options
    this.#lock = await withTimeoutOrUndefined(clock, LOCK_WAIT_MS, undefined, (signal) =>
      store.lock(`relay/sink/${name}`, { signal }),
    )
    if (this.#lock === undefined) throw sinkUnavailable(name, 'another process has the lock of its file')
    const { lost } = this.#lock
    if (lost !== undefined) {
      this.#stopListening = addAbortListener(lost, () => {
        this.#stop(writerFenced(name, this.#sequence, undefined))
        // Errors are ignored: the next call of `tail` opens the file and acquires the lock again.
        this.#release().catch(() => {})
      })
    }
  }

  async #openCurrent(): Promise<FileHandle> {
    this.#file = await open(this.#path, 'a+', 0o600)
    await syncDirectory(this.#directory)
    return this.#file
  }

  /** Writes the waiting batches in parts of a few MiB, with one sync for each part. */
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
    // Set before the resolved callers continue, so that their next call starts another write.
    this.#isWriting = false
  }

  /** Writes bytes to the file. A partial write is undone. @returns Whether the bytes are on the disk. */
  async #write(bytes: Buffer): Promise<boolean> {
    if (this.#end >= this.#options.maxFileBytes && !(await this.#rotate())) return false
    const file = this.#file
    if (file === undefined) return false
    try {
      const change = await this.#findChange()
      if (change !== undefined) {
        this.#stop(change)
        return false
      }
      await file.appendFile(bytes)
      await file.datasync()
      this.#state.report({ state: 'writing' })
      return true
    } catch (error) {
      this.#state.report({ state: 'waiting', reason: this.#unavailable(error).message })
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

  /** Returns an error unless the path still has the file of this writer, with the length that this writer wrote. */
  async #findChange(): Promise<RelayError | undefined> {
    const { name } = this.#options
    const found = await stat(this.#path).catch(() => undefined)
    if (found?.size === this.#end && found.ino === (await this.#file?.stat())?.ino) return undefined
    if (found !== undefined && found.size >= this.#end) return writerFenced(name, this.#sequence, undefined)
    return streamTruncated(name, this.#sequence, await readLastSequence(this.#path))
  }

  /** The limits of the stream. When another file is full, the oldest of the full files is deleted. */
  get #retention(): Retention {
    const { maxFileBytes, maxFiles } = this.#options
    return { maxBytes: maxFileBytes * (maxFiles - 1) }
  }

  /** Rotates the file between two writes. A crash here loses nothing. */
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
      this.#stop(this.#unavailable(error))
      // The file may have been renamed. The next call of `tail` opens the current file.
      await full?.close().catch(() => {})
      await this.#release().catch(() => {})
      return false
    }
  }

  #toStored(batch: readonly SinkEntry[]): readonly SinkEntry[] {
    return this.#options.cloudEvents ? batch.map(addCloudEventHeaders) : batch
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

  #unavailable(error: unknown): RelayError {
    return fileUnavailable(this.#options.name, error)
  }
}
