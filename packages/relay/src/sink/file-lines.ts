/** Lines of a file of messages: one JSON object for each message. Files are read from the end. */
import type { FileHandle } from 'node:fs/promises'
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { SinkEntry, StoredEntry } from './event-sink.ts'

const CHUNK = 256 * 1024
const LINE_END = 10

/** Serializes a message as a line, with bytes as base64. @param sequence - `undefined` if the message is not in a stream. */
export function serializeEntry({ subject, key, headers, body, data }: SinkEntry, sequence?: number): string {
  const base64 = data && Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64')
  return `${JSON.stringify({ sequence, subject, key, headers, body, data: base64 })}\n`
}

/**
 * Serializes batches in their order until the limit of bytes is reached, and at least one batch.
 *
 * @param sequence - The sequence of the last line before the batches.
 * @returns The lines, and the last sequence of each batch.
 */
export function encodeBatches(
  batches: readonly { readonly batch: readonly SinkEntry[] }[],
  sequence: number,
  maxBytes: number,
): { readonly bytes: Buffer; readonly ends: readonly number[] } {
  const lines: Buffer[] = []
  const ends: number[] = []
  let last = sequence
  let taken = 0
  for (const { batch } of batches) {
    if (taken >= maxBytes) break
    for (const entry of batch) {
      last += 1
      const line = Buffer.from(serializeEntry(entry, last))
      lines.push(line)
      taken += line.length
    }
    ends.push(last)
  }
  return { bytes: Buffer.concat(lines, taken), ends }
}

/** Parses a line. @returns `undefined` if {@link serializeEntry} did not write the line. */
export function parseEntry(line: string): StoredEntry | undefined {
  const value = parseJsonObject(line)
  if (value === undefined) return undefined
  const { sequence, subject, key, headers, body, data } = value
  if (!Number.isSafeInteger(sequence) || Number(sequence) < 1) return undefined
  if (typeof subject !== 'string' || typeof key !== 'string' || typeof body !== 'string') return undefined
  if (!isRecord(headers) || !Object.values(headers).every((header) => typeof header === 'string'))
    return undefined
  const entry = { sequence: Number(sequence), subject, key, headers: headers as Record<string, string>, body }
  if (data === undefined) return entry
  return typeof data === 'string'
    ? { ...entry, data: Uint8Array.from(Buffer.from(data, 'base64')) }
    : undefined
}

/** Reads the subject of a line without parsing it; `undefined` if the line must be parsed. */
export function peekSubject(line: string): string | undefined {
  return /^\{"sequence":\d+,"subject":"([^"\\]*)"/.exec(line)?.[1]
}

const LINE_START = '{"sequence":'

/** The bytes after the last line end. */
export type Trailer =
  | 'empty'
  /** A whole line without a line end, which some editors remove. */
  | 'complete-line'
  /** The start of a line whose writer died while it wrote the line. */
  | 'partial-line'
  | 'foreign'

/** Classifies the bytes after the last line end. @param end - The offset after the last line end. */
export async function classifyTrailer(file: FileHandle, end: number): Promise<Trailer> {
  const { size } = await file.stat()
  if (size <= end) return 'empty'
  const trailer = (await readPart(file, end, size)).toString()
  if (parseEntry(trailer) !== undefined) return 'complete-line'
  return trailer.startsWith(LINE_START) || LINE_START.startsWith(trailer) ? 'partial-line' : 'foreign'
}

/** Finds the offset after the last line end. */
export async function findLastLineEnd(file: FileHandle): Promise<number> {
  const { size } = await file.stat()
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - CHUNK)
    const at = (await readPart(file, start, end)).lastIndexOf(LINE_END)
    if (at !== -1) return start + at + 1
    end = start
  }
  return 0
}

/** Yields the lines before `end`, the last one first. A line may have any length. */
export async function* readLinesBackwards(file: FileHandle, end: number): AsyncGenerator<string, void> {
  // The end of a line whose start is not read yet.
  let trailer: Buffer[] = []
  for (let at = end; at > 0; ) {
    const start = Math.max(0, at - CHUNK)
    const chunk = await readPart(file, start, at)
    let to = chunk.length
    for (;;) {
      const from = to === 0 ? -1 : chunk.lastIndexOf(LINE_END, to - 1)
      if (from === -1) break
      const line = Buffer.concat([chunk.subarray(from + 1, to), ...trailer]).toString()
      trailer = []
      if (line !== '') yield line
      to = from
    }
    trailer.unshift(chunk.subarray(0, to))
    at = start
  }
  const first = Buffer.concat(trailer).toString()
  if (first !== '') yield first
}

async function readPart(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(end - start)
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
