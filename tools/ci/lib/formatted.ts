/** Text as the formatter leaves it, so that generated files pass the linter and compare exactly. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './workspace.ts'

/** @param file - From the root; its extension selects the language. It need not exist. */
export function formatted(file: string, source: string): string {
  const biome = join(ROOT, 'node_modules/.bin/biome')
  const { status, stdout, stderr } = spawnSync(biome, ['format', `--stdin-file-path=${file}`], {
    cwd: ROOT,
    input: source,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`biome format ended with ${status}: ${stderr}`)
  return stdout
}
