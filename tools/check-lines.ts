/**
 * `pnpm check:lines`: how long the streams and the tokens are, comments and blank lines among the rest. Tests, what
 * stands in folders `test`, and generated code do not count. A package that grows past its limit wants a concept less, not a higher limit.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { report } from './lib/report.ts'
import { ROOT } from './lib/workspace.ts'

interface Limit {
  readonly lines: number
  readonly files?: number
  /** Files that do not count. */
  readonly apart?: readonly string[]
}

/** At the most, by package. The calls of the token endpoints would stand in any package: tokens is what uses them. */
const LIMITS: Readonly<Record<string, Limit>> = {
  streams: { lines: 6_820 },
  tokens: {
    lines: 3_400,
    files: 30,
    apart: ['access', 'client', 'token']
      .map((what) => `endpoints/${what}-calls.ts`)
      .concat('endpoints/token-api.ts'),
  },
}
const APART = /(?:^|\/)(?:test|gen)\/|\.test(?:-d)?\.ts$/

const problems: string[] = []
const lines: string[] = []
for (const [name, { lines: limit, files: most = Number.POSITIVE_INFINITY, apart = [] }] of Object.entries(
  LIMITS,
)) {
  const folder = join(ROOT, 'packages', name, 'src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const file of apart)
    if (!files.includes(file)) problems.push(`packages/${name} has no ${file}, which is not to count`)
  const sources = files.filter((file) => file.endsWith('.ts') && !APART.test(file) && !apart.includes(file))
  const count = sources
    .map((file) => readFileSync(join(folder, file), 'utf8').split('\n').length - 1)
    .reduce((sum, length) => sum + length, 0)
  lines.push(`${name}: ${count} of ${limit} in ${sources.length} files`)
  if (count > limit) problems.push(`packages/${name} has ${count} lines, of ${limit}`)
  if (sources.length > most) problems.push(`packages/${name} has ${sources.length} files, of ${most}`)
}
report('lines', problems, lines.join(', '))
