/** Temporary files of a test. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a new folder. Its removal is retried, because a write that was not awaited may still end in it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Writes a file into a new folder and returns its path. */
export async function temporaryFile(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(await temporaryFolder(), name)
  await writeFile(file, content, { mode: 0o600 })
  return file
}
