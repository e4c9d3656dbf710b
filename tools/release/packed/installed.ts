/**
 * Installs the tarballs as a package manager would: unpacked, with dependencies and commands. Other packages
 * are linked from the workspace, so that no registry is needed.
 */
import { chmodSync, existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runOrThrow } from '../../ci/lib/run.ts'
import { ROOT, SCOPE } from '../../ci/lib/workspace.ts'
import { tarballs } from './tarballs.ts'

/** Installs all packages into the folder. */
export async function installPacked(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  for (const { pkg, path } of await tarballs()) {
    const { name, dependencies = {}, bin = {} } = pkg.manifest
    const target = join(modules, name)
    mkdirSync(target, { recursive: true })
    await runOrThrow('tar', ['-xzf', path, '-C', target, '--strip-components=1'])
    for (const dependency of Object.keys(dependencies))
      if (!dependency.startsWith(SCOPE)) linkModule(folder, dependency, pkg.directory)
    for (const [command, file] of Object.entries(bin)) {
      mkdirSync(join(modules, '.bin'), { recursive: true })
      chmodSync(join(target, file), 0o755)
      symlinkSync(join(target, file), join(modules, '.bin', command))
    }
  }
}

/**
 * Links a dependency from the workspace, unless the folder already has it.
 *
 * @param owner - Directory of a package that has this dependency.
 */
export function linkModule(folder: string, name: string, owner: string): void {
  const link = join(folder, 'node_modules', name)
  if (existsSync(link)) return
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(realpathSync(join(ROOT, owner, 'node_modules', name)), link)
}
