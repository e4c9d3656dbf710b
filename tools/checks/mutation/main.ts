/**
 * `pnpm test:mutation [FILE ...]`: do a package's tests notice when its code is changed?
 *
 * Stryker changes one spot at a time and runs the tests that reach it. Which survivors are known, and why they may
 * live, stands in survivors.json. Without a file all of the signer is changed; files are named as in packages/signer/src, or
 * from the root, all of one package.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { report } from '../../ci/lib/report.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { type Fate, judge, type Listed, type Mutant } from './judge.ts'
import { spotOf } from './spot.ts'

const SIGNER = 'packages/signer/src'
const FATES = new Set<string>(['Killed', 'Timeout', 'Survived', 'NoCoverage'] satisfies Fate[])

const require = createRequire(import.meta.url)
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
/** None: all. */
const chosen = process.argv.slice(2).map((file) => (file.startsWith('packages/') ? file : join(SIGNER, file)))
const [SOURCES = SIGNER, ...others] = new Set(chosen.map((file) => file.split('/').slice(0, 3).join('/')))
if (others.length > 0) throw new Error('name the files of one package')
const started = performance.now()

process.chdir(ROOT)
// For vitest.config.ts, which the runner's processes read.
process.env.MUTATED_SOURCES = SOURCES
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
  // What is copied: the package, the vectors, helpers of tests, this folder. Every `node_modules` is linked.
  ignorePatterns: [
    '**',
    `!${SOURCES}/**`,
    `!${join(SOURCES, '../..')}/*.json`,
    '!testdata/**',
    '!packages/testing/src/**',
    '!tools/checks/mutation/**',
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
const known = JSON.parse(readFileSync(here('./survivors.json'), 'utf8')) as readonly Listed[]
const listed = known.filter(({ file }) => file.startsWith(`${SOURCES}/`))
const { lines, problems } = judge(mutants, listed, chosen.length === 0)
console.log(lines.join('\n'))
const seconds = Math.round((performance.now() - started) / 1000)
report('mutation', problems, `${mutants.length} mutants, survivors as listed, ${seconds} s`)
