/**
 * `pnpm test:mutation [FILE ...]`: do the signer's tests notice when its code is changed?
 *
 * Stryker changes one spot at a time and runs the tests that reach it. Which survivors are known, and why they may
 * live, stands in survivors.json. Files are named as in packages/signer/src.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { report } from '../lib/report.ts'
import { ROOT } from '../lib/workspace.ts'
import { type Fate, judge, type Listed, type Mutant } from './judge.ts'
import { spotOf } from './spot.ts'

const SOURCES = 'packages/signer/src'
const FATES = new Set<string>(['Killed', 'Timeout', 'Survived', 'NoCoverage'] satisfies Fate[])

const require = createRequire(import.meta.url)
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
/** None: all. */
const chosen = process.argv.slice(2).map((file) => join(SOURCES, file.replace(`${SOURCES}/`, '')))
const started = performance.now()

process.chdir(ROOT)
const results = await new Stryker({
  testRunner: 'vitest',
  // By its path: pnpm keeps it where Stryker does not look.
  plugins: [require.resolve('@stryker-mutator/vitest-runner')],
  vitest: { configFile: relative(ROOT, here('./vitest.config.ts')) },
  mutate: [
    ...(chosen.length > 0 ? chosen : [`${SOURCES}/**/*.ts`]),
    `!${SOURCES}/**/*.test.ts`,
    `!${SOURCES}/test/**`,
  ],
  // What is copied: the package, the vectors, this folder. Every `node_modules` is linked.
  ignorePatterns: [
    '**',
    '!packages/signer/src/**',
    '!packages/signer/*.json',
    '!testdata/**',
    '!tools/mutation/**',
    '!tsconfig*.json',
    '!package.json',
  ],
  coverageAnalysis: 'perTest',
  disableTypeChecks: false,
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? availableParallelism()),
  // Beside the repository, not in it: a sandbox within would see the repository's own modules.
  tempDirName: join(tmpdir(), `brokerwire-mutation-${process.pid}`),
  cleanTempDir: 'always',
  logLevel: 'error' as never,
  fileLogLevel: 'off' as never,
  reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
}).runMutationTest()

const sources = new Map<string, string>()
const mutants: Mutant[] = []
for (const { fileName, location, replacement, status } of results) {
  if (!FATES.has(status)) continue
  const file = relative(ROOT, fileName)
  const source = sources.get(file) ?? readFileSync(fileName, 'utf8')
  sources.set(file, source)
  const spot = spotOf(source, location, replacement)
  mutants.push({ ...spot, file, fate: status as Fate, line: location.start.line })
}
const listed = JSON.parse(readFileSync(here('./survivors.json'), 'utf8')) as readonly Listed[]
const { lines, problems } = judge(mutants, listed, chosen.length === 0)
console.log(lines.join('\n'))
const seconds = Math.round((performance.now() - started) / 1000)
report('mutation', problems, `${mutants.length} mutants, survivors as listed, ${seconds} s`)
