/** A measurement in processes of its own: whether a compiled function is fast differs from process to process. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../ci/lib/workspace.ts'

const PROCESSES = 3

/**
 * @param bundle - Writes the program to a file in a folder that is removed afterwards, without the loader that runs this file.
 * @returns What each process has printed, as JSON.
 */
export async function inProcesses<T>(bundle: (file: string, folder: string) => Promise<void>): Promise<T[]> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-bench-'))
  const file = join(folder, 'measure.mjs')
  try {
    await bundle(file, folder)
    return Array.from({ length: PROCESSES }, () =>
      JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8', cwd: ROOT })),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}
