/**
 * Installs the runtimes that are missing, on machines that must have them all: where `CI` is set. A user's machine is
 * left alone and told what to do.
 */
import { run } from '../ci/lib/run.ts'
import { INSTALL_ENGINES, isInstalled, RUNTIMES } from './runtimes.ts'

/** Fails in silence: what is still missing afterwards is reported with the command that installs it. */
export async function installMissing(): Promise<void> {
  const shell = (line: string) => run(line, [], { shell: true })
  const missing = new Set(RUNTIMES.filter((runtime) => !isInstalled(runtime)).map(({ install }) => install))
  const browsers = [...missing].filter((install) => install !== INSTALL_ENGINES)
  await Promise.all([
    missing.has(INSTALL_ENGINES) && shell(INSTALL_ENGINES),
    // One after the other: apt-get takes a lock.
    browsers.length > 0 && shell(['apt-get update -qq', ...browsers].join(' && ')),
  ])
}
