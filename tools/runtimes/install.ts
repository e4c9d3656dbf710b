/**
 * Installs the runtimes that are missing, on machines that must have them all: where `CI` is set. A user's machine is
 * left alone and told what to do.
 */
import { existsSync } from 'node:fs'
import { run } from '../lib/run.ts'
import { CHROMIUM, INSTALL_CHROMIUM, INSTALL_ENGINES, isInstalled, RUNTIMES } from './runtimes.ts'

/** Fails in silence: what is still missing afterwards is reported with the command that installs it. */
export async function installMissing(): Promise<void> {
  const shell = (line: string) => run(line, [], { shell: true })
  const engines = RUNTIMES.some((runtime) => runtime.install === INSTALL_ENGINES && !isInstalled(runtime))
  const chromium = !existsSync(CHROMIUM)
  await Promise.all([
    engines && shell(INSTALL_ENGINES),
    chromium && shell(`apt-get update -qq && ${INSTALL_CHROMIUM}`),
  ])
}
