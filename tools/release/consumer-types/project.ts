/** A folder with the published packages as a package manager would install them, and the compilers run in it. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunResult, run } from '../../ci/lib/run.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { installPacked, linkModule } from '../packed/installed.ts'
import type { Compiler } from './combinations.ts'

const TOOLS = join(ROOT, 'tools/node_modules')
/** What consumers have beside the packages. */
const OUTSIDE = [
  '@bufbuild/protobuf',
  '@connectrpc/connect',
  '@connectrpc/connect-node',
  '@types/node',
  '@cloudflare/workers-types',
]

/** Makes the project. The caller removes it. */
export async function createProject(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-types-'))
  await installPacked(folder)
  for (const name of OUTSIDE) linkModule(folder, name, 'tools')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  return folder
}

/** Runs a compiler in the project. */
export function compile(
  folder: string,
  { dependency }: Compiler,
  args: readonly string[],
): Promise<RunResult> {
  const tsc = join(TOOLS, dependency, 'bin/tsc')
  return run(process.execPath, [tsc, '--pretty', 'false', ...args], { cwd: folder })
}
