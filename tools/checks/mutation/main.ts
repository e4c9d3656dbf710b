/**
 * `pnpm mutation [FILE ...]`: Stryker changes one expression at a time and runs the tests that reach it.
 * survivors.json must list each mutant that no test finds, with a reason.
 *
 * - Without files, the whole signer is mutated, and tests must find 90 % of the mutants.
 * - Files are named from the root, or from packages/signer/src. They must belong to one package.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { report } from '../../ci/lib/report.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { type Change, changeOf, survivorProblems } from './survivors.ts'

const SIGNER = 'packages/signer/src'
const files = process.argv.slice(2).map((file) => (file.startsWith('packages/') ? file : join(SIGNER, file)))
const [dir = 'packages/signer', ...others] = new Set(files.map((file) => file.split('/', 2).join('/')))
if (others.length > 0) throw new Error('files must be of one package')

process.chdir(ROOT)
const results = await new Stryker({
  configFile: 'tools/checks/mutation/stryker.config.json',
  plugins: [createRequire(import.meta.url).resolve('@stryker-mutator/vitest-runner')],
  vitest: { dir },
  mutate: [
    ...(files.length > 0 ? files : [`${dir}/src/**/*.ts`]),
    `!${dir}/src/**/*.test.ts`,
    `!${dir}/src/test/**`,
  ],
  // The folder is outside of the repository. In a sandbox inside of the repository, imports would find
  // modules of the repository itself.
  tempDirName: join(tmpdir(), `brokerwire-mutation-${process.pid}`),
  ...(files.length > 0 && { thresholds: { break: null } }),
}).runMutationTest()

const mutants = results.map(({ fileName, location, replacement, status }) => ({
  ...changeOf(relative(ROOT, fileName), readFileSync(fileName, 'utf8'), location, replacement),
  status,
}))
const listed = JSON.parse(readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8')) as Change[]
const mine = listed.filter(({ file }) =>
  files.length > 0 ? files.includes(file) : file.startsWith(`${dir}/`),
)
report('mutation', survivorProblems(mutants, mine), `${mutants.length} mutants, survivors as listed`)
