/** Files that are replaced as a whole: whenever the process is killed, a reader sees the old text or the new one. */
import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/** Writes the text, for its owner alone: mode 0600. @throws What the system says; nothing of it is left then. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const scratch = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(scratch, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(scratch, file)
  } catch (error) {
    await rm(scratch, { force: true })
    throw error
  }
}
