/** Temporary directories, which are removed after the test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Returns a path inside a new directory. Nothing exists there yet. */
export async function freshPath(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'brokerwire-stores-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'store')
}
