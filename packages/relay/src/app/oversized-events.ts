/**
 * Oversized events: those that are longer than the sink accepts. The stream gets a message without the payload instead, so that the
 * app does not stop at the event. If a directory is given, the whole event is written to a file there.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RelayAppSource, RelayOversizedReport } from '../observer.ts'
import type { EventSink, Oversize, SinkEntry } from '../sink/event-sink.ts'
import { serializeEntry } from '../sink/file-lines.ts'
import type { EntryFactory } from '../wire/entries.ts'

/** The directory for oversized events. */
export interface OversizedDirectory {
  /** Created with mode 0700 if it is missing; the files have 0600. */
  readonly directory: string
  /** The limit for all files of one stream, bytes. An event that would exceed it is not written. */
  readonly maxBytes: number
}

/** The report of an oversized event. */
export type OversizedReport = Omit<RelayOversizedReport, keyof RelayAppSource>

export interface OversizedEventsOptions {
  /** The name of the stream, for file names. */
  readonly stream: string
  readonly sink: EventSink
  readonly entries: EntryFactory
  readonly directory: OversizedDirectory | undefined
  readonly onOversized: (report: OversizedReport) => void
}

export class OversizedEvents {
  readonly #options: OversizedEventsOptions
  /** Files are written one at a time, because each write first counts the bytes of all files. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: OversizedEventsOptions) {
    this.#options = options
  }

  /** Resolves when no file is being written. */
  get written(): Promise<unknown> {
    return this.#writing
  }

  /** Returns the batch with a replacement for each oversized message. */
  fit(batch: readonly SinkEntry[]): readonly SinkEntry[] {
    const { sink, entries } = this.#options
    let fitted: SinkEntry[] | undefined
    for (const [at, entry] of batch.entries()) {
      const oversize = sink.checkSize?.(entry)
      if (oversize === undefined) continue
      fitted ??= [...batch]
      fitted[at] = entries.oversized(entry, oversize)
      this.#writing = this.#writing.then(() => this.#report(entry, oversize))
    }
    return fitted ?? batch
  }

  async #report(entry: SinkEntry, oversize: Oversize): Promise<void> {
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

  /** Writes the file of an event. Copies of one event are written to the same file. */
  async #write(entry: SinkEntry, { directory, maxBytes }: OversizedDirectory): Promise<string> {
    const { stream } = this.#options
    const name = `${stream}.${createHash('sha256').update(entry.key).digest('hex').slice(0, 32)}.json`
    const path = join(directory, name)
    const text = Buffer.from(serializeEntry(entry))
    await mkdir(directory, { recursive: true, mode: 0o700 })
    let used = text.length
    for (const file of await readdir(directory))
      if (file.startsWith(`${stream}.`) && file !== name) used += (await stat(join(directory, file))).size
    if (used > maxBytes)
      throw new Error(
        `files of ${stream} in ${directory} must have at most ${maxBytes} bytes; received ${used} with this event`,
      )
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
