/** A folder with the published packages as a package manager would install them, and the compilers run in it. */
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type RunResult, run, runOrThrow } from '../lib/run.ts'
import { ROOT } from '../lib/workspace.ts'
import { tarballs } from '../packed/tarballs.ts'
import type { Compiler } from './combinations.ts'

const TOOLS = join(ROOT, 'tools/node_modules')
/** Dependencies and peers, by the package of the workspace that has them. */
const OUTSIDE: Readonly<Record<string, string>> = {
  '@bufbuild/protobuf': 'tools',
  '@connectrpc/connect': 'tools',
  '@connectrpc/connect-node': 'tools',
  '@types/node': 'tools',
  '@cloudflare/workers-types': 'tools',
  '@noble/hashes': 'packages/signer',
  '@hono/node-server': 'packages/simulator',
  hono: 'packages/simulator',
}

/** Makes the project. The caller removes it. */
export async function createProject(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-types-'))
  const modules = join(folder, 'node_modules')
  for (const { pkg, path } of await tarballs()) {
    const target = join(modules, pkg.manifest.name)
    mkdirSync(target, { recursive: true })
    await runOrThrow('tar', ['-xzf', path, '-C', target, '--strip-components=1'])
  }
  for (const [name, owner] of Object.entries(OUTSIDE)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(realpathSync(join(ROOT, owner, 'node_modules', name)), join(modules, name))
  }
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
