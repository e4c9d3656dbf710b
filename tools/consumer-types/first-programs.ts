/**
 * The first program of each README, as a newcomer's project has it: `npm pkg set type=module`, `tsc --init --types node`,
 * and what the compiler writes must be JavaScript that Node 20 reads. `await using` is none: nothing lowers it there.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { typescriptBlocks } from '../check-readme/blocks.ts'
import { run } from '../lib/run.ts'
import { publicPackages, ROOT } from '../lib/workspace.ts'
import { COMPILERS } from './combinations.ts'
import { compile } from './project.ts'

const NEWEST_WITH_INIT = COMPILERS[1]

/** Compiles and reads them. @returns What is wrong, one line each, and how many there are. */
export async function checkFirstPrograms(project: string): Promise<{ problems: string[]; count: number }> {
  const compiler = NEWEST_WITH_INIT
  if (compiler === undefined) throw new Error('no compiler')
  const folder = join(project, 'first-programs')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const problems: string[] = []
  const written: { readonly readme: string; readonly file: string }[] = []
  for (const directory of ['.', ...publicPackages().map((pkg) => pkg.directory)]) {
    const readme = join(directory, 'README.md')
    const [block] = typescriptBlocks(readFileSync(join(ROOT, readme), 'utf8'))
    if (block === undefined) continue
    const file = `${directory.replace(/\W/g, '-')}.ts`
    writeFileSync(join(folder, file), block.code)
    written.push({ readme, file })
  }
  const init = await compile(folder, compiler, ['--init', '--types', 'node'])
  if (init.status !== 0) problems.push(`tsc --init: ${init.output}`)
  const { output } = await compile(folder, compiler, ['-p', '.', '--outDir', 'out'])
  for (const line of output.split('\n')) if (/error TS\d+/.test(line)) problems.push(`first program ${line}`)
  for (const { readme, file } of written) {
    const script = join(folder, 'out', file.replace(/ts$/, 'js'))
    const { status, output: said } = await run('node', ['--check', script])
    if (status !== 0)
      problems.push(`${readme}: Node ${process.version} cannot read its first program: ${said}`)
  }
  return { problems, count: written.length }
}
