/**
 * Programs of a benchmark in separate processes. They are bundled from source, because tsx, which runs the
 * benchmark, adds code that slows functions down. Packages from npm are not bundled.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asModule } from '@brokerwire/testing/bundle-program'
import { type Child, startBundle } from '@brokerwire/testing/child'
import type { Commands } from '@brokerwire/testing/child-calls'
import { build } from 'esbuild'
import { ROOT, readManifest, SCOPE } from '../ci/lib/workspace.ts'

/** Packages from npm, which are not bundled. */
const INSTALLED = Object.keys(readManifest('tools').devDependencies ?? {}).filter(
  (name) => !name.startsWith(SCOPE),
)

/** Starts a program that calls `serveCalls()`. */
export type Start = <C extends Commands>(program: URL) => Promise<Child<C>>

/** Creates a folder in which programs find the dependencies of tools/package.json. Removes it after `use`. */
export async function inFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const parent = join(ROOT, 'tools/node_modules/.cache')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'bench-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Calls `use` with a function that starts programs. Ends these programs afterwards. */
export function withPrograms<T>(use: (start: Start) => Promise<T>): Promise<T> {
  return inFolder(async (folder) => {
    const children: { kill(): Promise<void> }[] = []
    const start: Start = async <C extends Commands>(program: URL) => {
      const entry = fileURLToPath(program)
      const outfile = join(folder, `${basename(entry, '.ts')}.mjs`)
      if (!existsSync(outfile)) {
        await build({ ...asModule, entryPoints: [entry], outfile, external: INSTALLED })
      }
      const child = startBundle<C>(outfile)
      children.push(child)
      return child
    }
    try {
      return await use(start)
    } finally {
      await Promise.all(children.map((child) => child.kill()))
    }
  })
}

/** Starts a program and returns the result of its `measure` call. */
export function measureProgram<C extends Commands & { measure: (...args: never) => unknown }>(
  program: URL,
  ...args: Parameters<C['measure']>
): Promise<Awaited<ReturnType<C['measure']>>> {
  return withPrograms(async (start): Promise<Awaited<ReturnType<C['measure']>>> => {
    const child = await start<C>(program)
    return child.call('measure', ...args)
  })
}
