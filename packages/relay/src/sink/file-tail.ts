/**
 * Reads the end of a stream of files backwards: the last messages, and the last message of each requested
 * subject.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { matchesSubject } from '../wire/subjects.ts'
import type { SinkTail, StoredEntry, TailRequest } from './event-sink.ts'
import { findLastLineEnd, parseEntry, peekSubject, readLinesBackwards } from './file-lines.ts'

/**
 * Reads the end of a stream from its lines.
 *
 * @param lines - All lines, the last one first.
 * @returns `undefined` if a line was not written by a relay.
 */
export async function readFileTail(
  lines: AsyncIterable<string>,
  { maxEntries, lastOf = [] }: TailRequest,
): Promise<SinkTail | undefined> {
  const entries: StoredEntry[] = []
  const found = new Map<string, StoredEntry>()
  let sequence: number | undefined
  const wanted = new Set(lastOf)
  const isWanted = (subject: string): boolean =>
    [...wanted].some((filter) => !found.has(filter) && matchesSubject(filter, subject))
  for await (const line of lines) {
    // Of older lines, only the subject is read, because parsing gigabytes takes too long.
    const subject = entries.length >= maxEntries && sequence !== undefined ? peekSubject(line) : undefined
    if (subject !== undefined && !isWanted(subject)) continue
    const entry = parseEntry(line)
    if (entry === undefined) return undefined
    sequence ??= entry.sequence
    if (entries.length < maxEntries) entries.push(entry)
    for (const filter of lastOf)
      if (!found.has(filter) && matchesSubject(filter, entry.subject)) found.set(filter, entry)
    if (entries.length >= maxEntries && found.size === wanted.size) break
  }
  return {
    sequence: sequence ?? 0,
    entries: entries.reverse(),
    lastOf: lastOf.map((filter) => found.get(filter)),
  }
}

/**
 * Yields the lines of the current file up to `end`, then those of the rotated files. The last line is first.
 */
export async function* linesOfAllFiles(
  current: FileHandle,
  end: number,
  fullFiles: () => Promise<readonly string[]>,
): AsyncGenerator<string, void> {
  yield* readLinesBackwards(current, end)
  for (const path of await fullFiles()) {
    const file = await open(path, 'r')
    try {
      yield* readLinesBackwards(file, await findLastLineEnd(file))
    } finally {
      await file.close()
    }
  }
}

/** Reads the sequence of the last line of a file; 0 if the file is missing, empty or of another program. */
export async function readLastSequence(path: string): Promise<number> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return 0
  try {
    const tail = await readFileTail(readLinesBackwards(file, await findLastLineEnd(file)), { maxEntries: 1 })
    return tail?.sequence ?? 0
  } finally {
    await file.close()
  }
}
