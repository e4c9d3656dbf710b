/** Compiles a program in Go. All its packages come from Debian, and no module is downloaded. */
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const GO = '/usr/bin/go'
/** Debian's folder of Go sources. */
export const GO_PATH = '/usr/share/gocode'

/**
 * @param sources - The files of the program.
 * @param folder - Folder for the program.
 * @returns The path of the program.
 */
export async function buildGo(sources: string | readonly string[], folder: string): Promise<string> {
  const program = join(folder, 'program')
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: GO_PATH, GOFLAGS: '', GOCACHE: goCache(folder) }
  await promisify(execFile)(GO, ['build', '-o', program, ...[sources].flat()], { env })
  return program
}

/**
 * Returns the folder of Go's cache, so that each package is compiled only once. Without a home folder, Go has
 * no cache, so one in `folder` is used.
 */
function goCache(folder: string): string {
  return spawnSync(GO, ['env', 'GOCACHE'], { encoding: 'utf8' }).stdout.trim() || join(folder, 'cache')
}
