/** Directories of a test, gone after it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A path inside a new directory; nothing is there yet. */
export async function freshPath(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'brokerwire-stores-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'store')
}
