/**
 * `pnpm typecheck`: checks every TypeScript program of the repository. The large programs are the packages
 * and the tools. The other programs are compiled with the types of other hosts.
 */
import { join } from 'node:path'
import { report } from '../ci/lib/report.ts'
import { run } from '../ci/lib/run.ts'
import { ROOT } from '../ci/lib/workspace.ts'

const COMPILER = join(ROOT, 'tools/node_modules/typescript-7/bin/tsc')
const PROGRAMS = [
  'tsconfig.json',
  'tools/tsconfig.json',
  'examples/nestjs/tsconfig.json',
  'site/tsconfig.json',
  'packages/console/tsconfig.json',
  'packages/core/tsconfig.types.dom.json',
  'packages/core/tsconfig.types.node.json',
  'packages/core/tsconfig.types.workers.json',
  'packages/stores/tsconfig.types.workers.json',
]

const problems: string[] = []
for (const program of PROGRAMS) {
  const { status, output } = await run(process.execPath, [COMPILER, '-p', program])
  if (status !== 0) problems.push(`${program}:\n${output}`)
}
report('types', problems, `${PROGRAMS.length} programs`)
