/** Formats text with Biome, so that generated files pass the linter and can be compared byte by byte. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './workspace.ts'

/** @param file - Path from the root. Its extension selects the language. The file need not exist. */
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
