/**
 * The file of dead letters: messages that the receiver did not accept in time, as JSON lines. A line has the events as
 * they were sent, so that they can be sent again.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../sink/rotated-files.ts'

const VERSION = 1

/** Options of the file. */
export interface DeadLetterOptions {
  /** The directory of the file. Created with mode 0700 if it is missing. */
  readonly directory: string
  /**
   * The time after which a message that was not accepted is written to the file, milliseconds. It starts when the relay
   * received the message, and again when the relay starts. @defaultValue 3_600_000
   */
  readonly afterMs?: number | undefined
  /**
   * Maximum length of the file, bytes. If it is full, messages are not discarded: the sink retries the oldest one
   * until the receiver accepts it, or you move the file. @defaultValue 1 GiB
   */
  readonly maxBytes?: number | undefined
}

/** A message for the file. */
export interface DeadLetter {
  readonly webhookId: string
  readonly attempts: number
  /** The reason why the last attempt failed. */
  readonly reason: string
  /** Whether the request had the events as an array. */
  readonly isBatch: boolean
  /** CloudEvents as JSON. */
  readonly events: readonly string[]
}

/** Returns the path of the file of a stream. */
const deadLetterPath = (directory: string, stream: string): string =>
  join(directory, `${stream}.dead-letters.jsonl`)

/**
 * Appends a message to the file, and writes it to the disk. A line that was written partially is removed.
 *
 * @returns The path of the file.
 * @throws The error of the file system; an error if the file is full.
 */
export async function appendDeadLetter(
  stream: string,
  { directory, maxBytes }: { readonly directory: string; readonly maxBytes: number },
  { webhookId, attempts, reason, isBatch, events }: DeadLetter,
  nowMs: number,
): Promise<string> {
  const path = deadLetterPath(directory, stream)
  const head = JSON.stringify({
    v: VERSION,
    stream,
    atMs: nowMs,
    webhookId,
    attempts,
    reason,
    batch: isBatch,
  })
  // In valid JSON, line ends are only between tokens.
  const list = events.map((event) => event.replace(/[\r\n]+/g, ' ')).join(',')
  const text = `${head.slice(0, -1)},"events":[${list}]}\n`
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const file = await open(path, 'a+', 0o600)
  try {
    const { size } = await file.stat()
    const line = Buffer.from((await endsWithin(file, size)) ? `\n${text}` : text)
    if (size + line.length > maxBytes)
      throw new Error(`${path} must have at most ${maxBytes} bytes; it is full. Move it to another directory`)
    try {
      await file.writeFile(line)
      await file.datasync()
    } catch (error) {
      await file.truncate(size).catch(() => {})
      throw error
    }
  } finally {
    await file.close()
  }
  await syncDirectory(directory)
  return path
}

/** Whether the file ends within a line, because a process died while it wrote the line. */
async function endsWithin(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}
