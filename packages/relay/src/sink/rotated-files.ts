/**
 * The files of a stream: the one that is written, and those that were put aside when they were full, by the number of their
 * last line, so that their names have their order.
 */
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const DIGITS = 16

/** The file that is written. */
export const currentPath = (directory: string, name: string): string => join(directory, `${name}.jsonl`)

/** Files that were put aside, the newest first. @param name - Of letters, digits, `_` and `-`. */
export async function listRotatedFiles(directory: string, name: string): Promise<string[]> {
  const pattern = new RegExp(`^${name}\\.\\d{${DIGITS}}\\.jsonl$`)
  const found = (await readdir(directory)).filter((file) => pattern.test(file))
  return found
    .sort()
    .reverse()
    .map((file) => join(directory, file))
}

/** Puts the file that was written aside, and removes the oldest ones. @param sequence - Of its last line. */
export async function rotate(
  directory: string,
  name: string,
  sequence: number,
  maxFiles: number,
): Promise<void> {
  const rotated = join(directory, `${name}.${String(sequence).padStart(DIGITS, '0')}.jsonl`)
  await rename(currentPath(directory, name), rotated)
  for (const old of (await listRotatedFiles(directory, name)).slice(maxFiles - 1))
    await rm(old, { force: true })
}

/** Names of files survive the loss of power only when their directory is on the disk, too. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** More than the smallest blocks of file systems, which keep small files elsewhere. */
const PROBE = Buffer.alloc(4096)

/** Writes a file of its own, `NAME.probe`, to the disk, and removes it. @throws The error of the file system. */
export async function writeProbe(directory: string, name: string): Promise<void> {
  const path = join(directory, `${name}.probe`)
  const handle = await open(path, 'w', 0o600)
  try {
    await handle.writeFile(PROBE)
    await handle.datasync()
  } finally {
    await handle.close()
    await rm(path, { force: true })
  }
}
