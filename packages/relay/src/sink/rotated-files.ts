/**
 * The files of a stream: the current file, and the rotated ones. The name of a rotated file has the sequence
 * of its last line, so the names sort in the order of the files.
 */
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const DIGITS = 16

/** Returns the path of the current file. */
export const currentPath = (directory: string, name: string): string => join(directory, `${name}.jsonl`)

/**
 * Lists the rotated files, newest first.
 *
 * @param name - The name of the stream: letters, digits, `_` and `-`.
 */
export async function listRotatedFiles(directory: string, name: string): Promise<string[]> {
  const pattern = new RegExp(`^${name}\\.\\d{${DIGITS}}\\.jsonl$`)
  const found = (await readdir(directory)).filter((file) => pattern.test(file))
  return found
    .sort()
    .reverse()
    .map((file) => join(directory, file))
}

/**
 * Rotates the current file, and deletes the oldest files.
 *
 * @param sequence - The sequence of the current file's last line.
 */
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

/** Writes a directory to the disk, because names of files survive a power failure only after that. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Some file systems store a very small file in its inode, without a data block. The probe is longer, so that
 * writing it fails on a full disk.
 */
const PROBE = Buffer.alloc(4096)

/** Writes a file `NAME.probe` to the disk, and deletes it. @throws The error of the file system. */
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
