/**
 * `pnpm check:types [--all]`: compiles programs of consumers with the types of the tarballs, and loads the
 * packages with `require`.
 *
 * - All entry points compile for each host with `skipLibCheck` off, with the oldest and the newest supported
 * TypeScript. `--all` adds the versions between.
 * - The first program of each README compiles with the configuration that `tsc --init` writes. This Node must
 * be able to parse the output, because that configuration does not lower `await using`.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { typescriptBlocks } from '../../checks/readme/blocks.ts'
import { report } from '../../ci/lib/report.ts'
import { run } from '../../ci/lib/run.ts'
import { publicPackages, ROOT } from '../../ci/lib/workspace.ts'
import { installPacked, linkModule } from '../packed/installed.ts'
import * as table from './combinations.ts'

const COMPILERS = [table.OLDEST, table.NEWEST, ...(process.argv.includes('--all') ? table.OTHERS : [])]
/** Additional dependencies of the consumer's project. */
const OTHER_MODULES = [
  '@bufbuild/protobuf',
  '@connectrpc/connect',
  '@connectrpc/connect-node',
  '@opentelemetry/api',
  '@types/node',
  'protobufjs',
  '@cloudflare/workers-types',
]
const seen = new Set<table.PeerFailure>()
const problems: string[] = []

const folder = mkdtempSync(join(tmpdir(), 'brokerwire-types-'))
try {
  await installPacked(folder)
  for (const name of OTHER_MODULES) linkModule(folder, name, 'tools')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  let count = 0
  for (const compiler of COMPILERS)
    for (const program of table.PROGRAMS)
      for (const host of program.hosts) {
        await checkEntries(compiler, program, host)
        count += 1
      }
  for (const failure of table.PEER_FAILURES)
    if (!seen.has(failure)) problems.push(`${failure.peer} no longer fails with: ${failure.message}`)
  const firsts = await checkFirstPrograms()
  await checkWorker()
  await checkRequire()
  report('consumer types', problems, `${count} programs of all entries, ${firsts} first programs of READMEs`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs a compiler, and reports its errors under a name. */
async function compile(
  name: string,
  cwd: string,
  { dependency }: table.Compiler,
  args: readonly string[],
  isExpected: (line: string) => boolean = () => false,
): Promise<void> {
  const tsc = join(ROOT, 'tools/node_modules', dependency, 'bin/tsc')
  const { status, output } = await run(process.execPath, [tsc, '--pretty', 'false', ...args], { cwd })
  const errors = output.split('\n').filter((line) => /error TS\d+/.test(line))
  problems.push(...errors.filter((line) => !isExpected(line)).map((line) => `${name}: ${line}`))
  if (status !== 0 && errors.length === 0) problems.push(`${name}: status ${status}: ${output.slice(0, 500)}`)
}

async function checkEntries(
  compiler: table.Compiler,
  { name, entries }: table.Program,
  host: table.Host,
): Promise<void> {
  const id = `${name}-${host}-${compiler.version}`
  const imports = entries.map((entry, index) => `export * as entry${index} from '${entry}'`)
  writeFileSync(join(folder, `${id}.ts`), imports.join('\n'))
  const compilerOptions = {
    ...table.hostOptions(host),
    strict: true,
    exactOptionalPropertyTypes: true,
    // The declarations of the packages are checked. Those of the compiler are not.
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    noEmit: true,
  }
  writeFileSync(join(folder, `${id}.json`), JSON.stringify({ compilerOptions, files: [`${id}.ts`] }))
  const title = `${name}, lib ${host}, TypeScript ${compiler.version}`
  await compile(title, folder, compiler, ['-p', `${id}.json`], (line) => {
    const failure = table.PEER_FAILURES.find(
      ({ peer, message, applies }) =>
        line.includes(`node_modules/${peer}/`) && line.includes(message) && applies(host, compiler),
    )
    if (failure !== undefined) seen.add(failure)
    return failure !== undefined
  })
}

function createFolder(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), JSON.stringify({ type: 'module' }))
  return path
}

/**
 * Compiles the first program of each README, and parses the output with Node.
 *
 * @returns The number of programs.
 */
async function checkFirstPrograms(): Promise<number> {
  const cwd = createFolder('first-programs')
  const readmes = ['.', ...publicPackages().map(({ directory }) => directory)].flatMap((directory) => {
    const [block] = typescriptBlocks(readFileSync(join(ROOT, directory, 'README.md'), 'utf8'))
    if (block === undefined) return []
    const name = directory.replace(/\W/g, '-')
    writeFileSync(join(cwd, `${name}.ts`), block.code)
    return [name]
  })
  await compile('tsc --init', cwd, table.NEWEST, ['--init', '--types', 'node'])
  await compile('first program', cwd, table.NEWEST, ['-p', '.', '--outDir', 'out'])
  for (const name of readmes) {
    const { status, output } = await run('node', ['--check', `out/${name}.js`], { cwd })
    if (status !== 0) problems.push(`first program ${name}: Node cannot read it: ${output}`)
  }
  return readmes.length
}

/**
 * Compiles the example of a Durable Object in a project with the lib ES2024, twice: with the example's own
 * `Env` and the package of types, and with the types that `wrangler types` writes, as the README of the
 * example describes.
 */
async function checkWorker(): Promise<void> {
  const example = join(ROOT, 'examples/worker-durable-object')
  const source = readFileSync(join(example, 'worker.ts'), 'utf8')
  await compileWorker('worker', source, '@cloudflare/workers-types')

  const generated = './worker-configuration.d.ts'
  const withoutEnv = source.replace(/\/\*\*[^/]*\*\/\nexport interface Env [^}]*\n\}\n/, '')
  if (withoutEnv === source) problems.push('worker.ts: the interface Env was not found')
  const secrets = 'APP_KEY=a\nAPP_SECRET=b\n'
  const all = `${secrets}REGION=us\nENVIRONMENT=production\nBASE_URL=c\nPOLL_INTERVAL_MS=1000\n`
  for (const [name, variables] of Object.entries({ 'worker-secrets': secrets, 'worker-all': all }))
    await compileWorker(name, withoutEnv, generated, async (cwd) => {
      copyFileSync(join(example, 'wrangler.json'), join(cwd, 'wrangler.json'))
      writeFileSync(join(cwd, '.dev.vars'), variables)
      const wrangler = join(ROOT, 'examples/node_modules/wrangler/bin/wrangler.js')
      const env = { WRANGLER_SEND_METRICS: 'false' }
      const { status, output } = await run(process.execPath, [wrangler, 'types', generated], { cwd, env })
      if (status !== 0) problems.push(`wrangler types, ${name}: ${output.slice(0, 500)}`)
    })
}

/**
 * Compiles `worker.ts` in its own folder with the tsconfig.json of its README, which checks every
 * declaration.
 *
 * @param prepare - Adds files to the folder.
 */
async function compileWorker(
  name: string,
  source: string,
  types: string,
  prepare?: (cwd: string) => Promise<void>,
): Promise<void> {
  const readme = readFileSync(join(ROOT, 'examples/worker-durable-object/README.md'), 'utf8')
  const cwd = createFolder(name)
  writeFileSync(join(cwd, 'worker.ts'), source)
  await prepare?.(cwd)
  const { compilerOptions } = JSON.parse(/^```json\n(.+?)^```/ms.exec(readme)?.[1] ?? '{}')
  if (compilerOptions?.skipLibCheck !== false)
    problems.push('examples/worker-durable-object/README.md: no tsconfig.json with skipLibCheck: false')
  writeFileSync(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, types: [types] } }),
  )
  // The oldest compiler is skipped, because TypeScript 5.4 has no lib ES2024.
  for (const compiler of COMPILERS)
    if (compiler !== table.OLDEST)
      await compile(`${name}, TypeScript ${compiler.version}`, cwd, compiler, ['-p', '.'])
}

/** Loads each package with `require`, except the command line, whose entry point is a program. */
async function checkRequire(): Promise<void> {
  const lines = publicPackages()
    .filter(({ short, manifest }) => short !== 'cli' && manifest.exports?.['.'] !== undefined)
    .map(({ manifest: { name } }) => `if (Object.keys(require('${name}')).length === 0) throw '${name}'`)
  writeFileSync(join(folder, 'require.cjs'), lines.join('\n'))
  const { status, output } = await run('node', ['require.cjs'], { cwd: folder })
  if (status !== 0) problems.push(`require() of ${lines.length} packages: ${output}`)
}
