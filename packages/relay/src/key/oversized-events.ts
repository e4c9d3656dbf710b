/**
 * Events that the sink does not take because of their size. Each stands in the stream as a message without its payload, so that its
 * position moves on and the app never stops at it. If a directory is given, the whole event is written to a file there.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventSink, SinkEntry } from '../sink/event-sink.ts'
import { serializeEntry } from '../sink/file-lines.ts'
import type { EntryFactory } from '../wire/entries.ts'

/** Where whole events are written to. */
export interface OversizedDirectory {
  /** Created with mode 0700 if it is missing; the files have 0600. */
  readonly directory: string
  /** The most that the files of one stream take together. An event beyond it is not written. */
  readonly maxBytes: number
}

/** An event that the sink did not take. */
export interface OversizedReport {
  /** The name of the event: `Brokerwire-Id` or `Brokerwire-Request-Id`, and its event type and position. */
  readonly entry: Pick<SinkEntry, 'subject' | 'key'>
  /** Length of its message, and the most that the sink takes, bytes. */
  readonly bytes: number
  readonly maxBytes: number
  /** The setting that limits it, as `max_payload`. */
  readonly setting: string
  /** The file that has the whole event; `undefined` if none was written. */
  readonly file: string | undefined
  /** Why none was written, if a directory was given. */
  readonly error?: unknown
}

export interface OversizedEventsOptions {
  /** The name of the stream. */
  readonly stream: string
  readonly sink: EventSink
  readonly entries: EntryFactory
  readonly directory: OversizedDirectory | undefined
  readonly onOversized: (report: OversizedReport) => void
}

export class OversizedEvents {
  readonly #options: OversizedEventsOptions
  /** One file at a time: the bytes of all of them are counted before. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: OversizedEventsOptions) {
    this.#options = options
  }

  /** Resolves when no file is being written. */
  get written(): Promise<unknown> {
    return this.#writing
  }

  /** The messages as the sink takes them. */
  fit(batch: readonly SinkEntry[]): readonly SinkEntry[] {
    const { sink, entries } = this.#options
    let fitted: SinkEntry[] | undefined
    for (const [at, entry] of batch.entries()) {
      const oversize = sink.oversize?.(entry)
      if (oversize === undefined) continue
      const { bytes: length, maxBytes: maxLength, setting: limit } = oversize
      fitted ??= [...batch]
      fitted[at] = entries.tooLarge(entry, { length, maxLength, limit })
      this.#writing = this.#writing.then(() => this.#report(entry, oversize))
    }
    return fitted ?? batch
  }

  async #report(
    entry: SinkEntry,
    oversize: Pick<OversizedReport, 'bytes' | 'maxBytes' | 'setting'>,
  ): Promise<void> {
    const { directory, onOversized } = this.#options
    let file: string | undefined
    let error: unknown
    try {
      if (directory !== undefined) file = await this.#write(entry, directory)
    } catch (caught) {
      error = caught
    }
    const { subject, key } = entry
    onOversized({ entry: { subject, key }, ...oversize, file, error })
  }

  /** A copy of the same event has the same file. */
  async #write(entry: SinkEntry, { directory, maxBytes }: OversizedDirectory): Promise<string> {
    const { stream } = this.#options
    const name = `${stream}.${createHash('sha256').update(entry.key).digest('hex').slice(0, 32)}.json`
    const path = join(directory, name)
    const text = Buffer.from(serializeEntry(entry))
    await mkdir(directory, { recursive: true, mode: 0o700 })
    let used = text.length
    for (const file of await readdir(directory))
      if (file.startsWith(`${stream}.`) && file !== name) used += (await stat(join(directory, file))).size
    if (used > maxBytes) throw new Error(`the files of ${stream} in ${directory} would take ${used} bytes`)
    const handle = await open(`${path}.part`, 'w', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(`${path}.part`, path)
    return path
  }
}
