/**
 * The first program of each README, as a newcomer's project has it: `npm pkg set type=module`, `tsc --init --types node`,
 * and what the compiler writes must be JavaScript that Node 20 reads. `await using` is none: nothing lowers it there.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { typescriptBlocks } from '../../checks/readme/blocks.ts'
import { run } from '../../ci/lib/run.ts'
import { publicPackages, ROOT } from '../../ci/lib/workspace.ts'
import { COMPILERS } from './combinations.ts'
import { compile } from './project.ts'

const NEWEST_WITH_INIT = COMPILERS[1]

/** The Worker of the documents in a project whose libs end with ES2024. @returns What is wrong, one line each. */
export async function checkWorker(project: string): Promise<string[]> {
  const folder = join(project, 'worker')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(
    join(folder, 'worker.ts'),
    readFileSync(join(ROOT, 'examples/worker-durable-object/worker.ts')),
  )
  const compilerOptions = {
    lib: ['ES2024'],
    types: ['@cloudflare/workers-types'],
    target: 'ES2022',
    module: 'ES2022',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const outputs = await Promise.all(
    COMPILERS.slice(1).map((compiler) => compile(folder, compiler, ['-p', '.'])),
  )
  return outputs.flatMap(({ status, output }) =>
    status === 0 ? [] : [`worker.ts with lib ES2024: ${output}`],
  )
}

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
