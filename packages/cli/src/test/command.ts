/**
 * The program as an installed package has it: bundled from source once, with its manifest beside it. From source, through
 * a loader, each of the hundreds of processes that tests start would take twice as long.
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleParts } from '@brokerwire/testing/bundle-program'
import { folderOfTheRun } from '@brokerwire/testing/template-folder'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

async function bundleCommand(): Promise<string> {
  const folder = await folderOfTheRun('command')
  const command = join(folder, 'bin', 'brokerwire.js')
  await mkdir(join(folder, 'bin'))
  await copyFile(join(PACKAGE, 'bin', 'brokerwire.js'), command)
  await copyFile(join(PACKAGE, 'package.json'), join(folder, 'package.json'))
  await bundleParts(new URL('../main.ts', import.meta.url), join(folder, 'dist'))
  return command
}

/** The program, as a process starts it. */
export const COMMAND = await bundleCommand()
