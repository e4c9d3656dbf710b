/**
 * The program as in an installed package: bundled once, with its manifest. To run it from source with tsx
 * would take twice as long for each of the hundreds of processes that tests start.
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

/** Path of the program. */
export const COMMAND = await bundleCommand()
