/** Compiles a program in Go against Debian's packages of sources alone: no module is fetched. */
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const GO = '/usr/bin/go'
/** Where Debian has the sources. */
export const GO_PATH = '/usr/share/gocode'

/** @param folder - Where the program may stand. @returns Its path. */
export async function buildGo(source: string, folder: string): Promise<string> {
  const program = join(folder, 'program')
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: GO_PATH, GOFLAGS: '', GOCACHE: goCache(folder) }
  await promisify(execFile)(GO, ['build', '-o', program, source], { env })
  return program
}

/** Go's own, so that it compiles what it needs once; without a home there is none. */
function goCache(folder: string): string {
  return spawnSync(GO, ['env', 'GOCACHE'], { encoding: 'utf8' }).stdout.trim() || join(folder, 'cache')
}
