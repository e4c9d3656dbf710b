/** Replaces files atomically: if the process is killed, a reader gets the old or the new content. */
import { randomBytes } from 'node:crypto'
import { open, readlink, realpath, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Writes the text with mode 0600. If the file is a symbolic link, its target is replaced.
 *
 * @throws The system's error. No temporary file remains.
 */
export async function replaceFile(name: string, text: string): Promise<void> {
  const file = await resolveLinks(name)
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Returns the target of symbolic links. The target may not exist yet. */
export async function resolveLinks(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch {
    const link = await readlink(file).catch(() => undefined)
    return link === undefined ? file : resolve(dirname(file), link)
  }
}
