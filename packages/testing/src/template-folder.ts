/** A folder for what every test of a run would otherwise make anew. Vitest makes it before the tests (`globalSetup`). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'BROKERWIRE_TEST_TEMPLATES'

/** `undefined` where no tests run, as in a benchmark. */
export const templateFolder = (): string | undefined => process.env[VARIABLE]

/** A new folder that stays until the run ends: for what the next test file in the same process uses again. */
export async function folderOfTheRun(name: string): Promise<string> {
  return await mkdtemp(join(templateFolder() ?? tmpdir(), `${name}-`))
}

/** A global setup: makes the folder, tells the tests' processes, and gives what removes it. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-templates-'))
  process.env[VARIABLE] = folder
  return () => rm(folder, { recursive: true, force: true })
}
