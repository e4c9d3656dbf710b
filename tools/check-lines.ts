/**
 * `pnpm check:lines`: how long the streams are, comments and blank lines among the rest. Tests, what stands in folders
 * `test`, and generated code do not count. A package that grows past its limit wants a concept less, not a higher limit.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { report } from './lib/report.ts'
import { ROOT } from './lib/workspace.ts'

/** Lines at the most, by package. */
const LIMITS = { streams: 7_700 } as const
const APART = /(?:^|\/)(?:test|gen)\/|\.test(?:-d)?\.ts$/

const problems: string[] = []
const lines: string[] = []
for (const [name, limit] of Object.entries(LIMITS)) {
  const folder = join(ROOT, 'packages', name, 'src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => file.endsWith('.ts') && !APART.test(file))
  const count = sources
    .map((file) => readFileSync(join(folder, file), 'utf8').split('\n').length - 1)
    .reduce((sum, length) => sum + length, 0)
  lines.push(`${name}: ${count} of ${limit}`)
  if (count > limit) problems.push(`packages/${name} has ${count} lines, of ${limit}`)
}
report('lines', problems, lines.join(', '))
