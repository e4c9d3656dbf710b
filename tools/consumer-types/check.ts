/**
 * `pnpm check:consumer-types`: a consumer's program compiles against the types of the tarballs, one for each compiler and
 * set of libs of the table, with `skipLibCheck` off: what a package's declarations need must be in the package.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { report } from '../lib/report.ts'
import { run, runOrThrow } from '../lib/run.ts'
import { ROOT } from '../lib/workspace.ts'
import { tarballs } from '../packed/tarballs.ts'
import { COMPILERS, type Compiler, type Host, hostOptions, PROGRAMS, type Program } from './combinations.ts'

const TOOLS = join(ROOT, 'tools/node_modules')
const OUTSIDE = ['@bufbuild/protobuf', '@connectrpc/connect', '@types/node', '@cloudflare/workers-types']
const AT_ONCE = 2

/** A folder with the published packages as a package manager would install them. */
async function createProject(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-types-'))
  const modules = join(folder, 'node_modules')
  for (const { pkg, path } of await tarballs()) {
    const target = join(modules, pkg.manifest.name)
    mkdirSync(target, { recursive: true })
    await runOrThrow('tar', ['-xzf', path, '-C', target, '--strip-components=1'])
  }
  for (const name of OUTSIDE) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(realpathSync(join(TOOLS, name)), join(modules, name))
  }
  // The types of Node, of which `undici-types` is a part, are found beside each other.
  const undici = join(realpathSync(join(TOOLS, '@types/node')), '../../undici-types')
  if (existsSync(undici))
    cpSync(undici, join(modules, 'undici-types'), { recursive: true, dereference: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  return folder
}

/** Compiles one program. @returns What is wrong, one line each. */
async function compile(folder: string, compiler: Compiler, program: Program, host: Host): Promise<string[]> {
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
  const tsc = join(TOOLS, compiler.dependency, 'bin/tsc')
  const { status, output } = await run(process.execPath, [tsc, '-p', `${id}.json`, '--pretty', 'false'], {
    cwd: folder,
  })
  const tolerated = program.toleratedFiles ?? []
  const problems = output
    .split('\n')
    .filter((line) => /error TS\d+/.test(line))
    .filter((line) => !tolerated.some((file) => line.includes(file)))
    .map((line) => `${name}: ${line}`)
  if (status !== 0 && problems.length === 0 && !/error TS\d+/.test(output)) {
    problems.push(`${name}: the compiler ended with ${status}: ${output.slice(0, 500)}`)
  }
  return problems
}

const folder = await createProject()
try {
  const work = COMPILERS.flatMap((compiler) =>
    PROGRAMS.flatMap((program) => program.hosts.map((host) => ({ compiler, program, host }))),
  )
  const problems: string[] = []
  const total = work.length
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = work.shift(); next !== undefined; next = work.shift()) {
        problems.push(...(await compile(folder, next.compiler, next.program, next.host)))
      }
    }),
  )
  report(
    'consumer types',
    problems,
    `${total} programs over ${COMPILERS.map(({ version }) => version).join(', ')}`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
