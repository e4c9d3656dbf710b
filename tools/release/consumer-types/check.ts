/**
 * `pnpm check:consumer-types`: programs of consumers compile against the types of the tarballs. One for each compiler and
 * set of libs of the table, with `skipLibCheck` off: what a package's declarations need must be in the package. And the
 * first program of each README with the compiler's own default configuration, as JavaScript that Node 20 reads.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { report } from '../../ci/lib/report.ts'
import {
  COMPILERS,
  type Compiler,
  type Host,
  hostOptions,
  PEER_FAILURES,
  type PeerFailure,
  PROGRAMS,
  type Program,
} from './combinations.ts'
import { checkFirstPrograms, checkWorker } from './first-programs.ts'
import { compile, createProject } from './project.ts'
import { checkRequire } from './require.ts'

const AT_ONCE = 2
const seen = new Set<PeerFailure>()

/** Compiles one program. @returns What is wrong, one line each. */
async function check(folder: string, compiler: Compiler, program: Program, host: Host): Promise<string[]> {
  const name = `${program.name}, lib ${host}, TypeScript ${compiler.version}`
  const id = `${program.name}-${host}-${compiler.version}`
  const imports = program.entries.map((entry, index) => `export * as entry${index} from '${entry}'`)
  writeFileSync(join(folder, `${id}.ts`), `${imports.join('\n')}\n`)
  const compilerOptions = {
    ...hostOptions(host),
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    noEmit: true,
  }
  writeFileSync(join(folder, `${id}.json`), JSON.stringify({ compilerOptions, files: [`${id}.ts`] }))
  const { status, output } = await compile(folder, compiler, ['-p', `${id}.json`])
  const errors = output.split('\n').filter((line) => /error TS\d+/.test(line))
  const isPeers = (line: string): boolean => {
    const failure = PEER_FAILURES.find(
      ({ peer, message, applies }) =>
        line.includes(`node_modules/${peer}/`) && line.includes(message) && applies(host, compiler),
    )
    if (failure !== undefined) seen.add(failure)
    return failure !== undefined
  }
  const problems = errors.filter((line) => !isPeers(line)).map((line) => `${name}: ${line}`)
  if (status !== 0 && errors.length === 0) {
    problems.push(`${name}: the compiler ended with ${status}: ${output.slice(0, 500)}`)
  }
  return problems
}

const folder = await createProject()
try {
  const work = COMPILERS.flatMap((compiler) =>
    PROGRAMS.flatMap((program) => program.hosts.map((host) => ({ compiler, program, host }))),
  )
  const total = work.length
  const problems: string[] = []
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = work.shift(); next !== undefined; next = work.shift()) {
        problems.push(...(await check(folder, next.compiler, next.program, next.host)))
      }
    }),
  )
  for (const failure of PEER_FAILURES) {
    if (!seen.has(failure)) problems.push(`${failure.peer} no longer fails with: ${failure.message}`)
  }
  const first = await checkFirstPrograms(folder)
  problems.push(...first.problems, ...(await checkWorker(folder)), ...(await checkRequire(folder)))
  report(
    'consumer types',
    problems,
    `${total} programs of all entries, ${first.count} first programs of READMEs`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
