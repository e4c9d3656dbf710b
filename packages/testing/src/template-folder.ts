/** A folder for files that all tests of a run share. Vitest creates it before the tests (`globalSetup`). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'BROKERWIRE_TEST_TEMPLATES'

/** Returns the path of the folder; `undefined` outside of tests, for example in a benchmark. */
export const templateFolder = (): string | undefined => process.env[VARIABLE]

/**
 * Creates a folder that exists until the end of the run, so that later test files in the same process can use
 * it.
 */
export async function folderOfTheRun(name: string): Promise<string> {
  return await mkdtemp(join(templateFolder() ?? tmpdir(), `${name}-`))
}

/**
 * A global setup. It creates the folder and sets the environment variable with its path.
 *
 * @returns A function that removes the folder.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-templates-'))
  process.env[VARIABLE] = folder
  return () => rm(folder, { recursive: true, force: true })
}
