/**
 * Node, Deno and Bun as npm packages. If a program needs them and they are missing, they are installed into
 * the folder `engines`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runOrThrow } from '../ci/lib/run.ts'
import { ROOT } from '../ci/lib/workspace.ts'

const FOLDER = join(ROOT, 'tools/runtimes/engines')
const MODULES = join(FOLDER, 'node_modules')

export const DENO: string = join(MODULES, '@deno/linux-x64-glibc/deno')
export const BUN: string = join(MODULES, '@oven/bun-linux-x64/bin/bun')
export const nodeBinary = (major: string): string => join(MODULES, `node-${major}/bin/node`)

/**
 * Installs the engines if one of these binaries is missing.
 *
 * @param all - Whether devDependencies are installed too.
 */
export async function installEngines(binaries: readonly string[], all: boolean): Promise<void> {
  if (binaries.every((binary) => existsSync(binary))) return
  const args = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
  await runOrThrow('npm', ['install', '--prefix', FOLDER, ...args, ...(all ? [] : ['--omit=dev'])])
}
