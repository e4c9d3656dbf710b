/**
 * `pnpm check:jsr`: converts the tarballs of some packages for JSR, and runs `deno publish --dry-run` on them.
 * It publishes nothing.
 *
 * The built files are published, because JSR would infer types from sources, which have inferred types. Each
 * entry point names its declarations. JSR has no conditions in `exports` and `imports`, so the files for Deno
 * are used, which need `node:crypto`.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { report } from '../ci/lib/report.ts'
import { run, runOrThrow } from '../ci/lib/run.ts'
import { type ExportTarget, resolveTarget, SCOPE } from '../ci/lib/workspace.ts'
import { DENO, installEngines } from '../runtimes/engines.ts'
import { tarballs } from './packed/tarballs.ts'

const PACKAGES = ['core', 'signer', 'payloads', 'tokens']
/** JSR needs a version, also if nothing is released yet. */
const FIRST_VERSION = '0.1.0'

/** The fields of a packed manifest. */
interface PackedManifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly exports: Readonly<Record<string, ExportTarget>>
  readonly imports?: Readonly<Record<string, ExportTarget>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Converts an unpacked package in place. */
function convert(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackedManifest
  const { name, version, license, exports, imports = {}, dependencies, peerDependencies } = manifest
  const entries: Record<string, string> = {}
  for (const [subpath, target] of Object.entries(exports)) {
    const code = resolveTarget(target, ['deno'])
    const types = resolveTarget(target, ['types'])
    if (code?.endsWith('.js') !== true || types === undefined) continue
    entries[subpath] = code
    const file = join(folder, code)
    writeFileSync(file, `/* @ts-self-types="./${basename(types)}" */\n${readFileSync(file, 'utf8')}`)
  }
  // Deno does not resolve the name of a source to its declarations.
  for (const file of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, 'dist', file)
    if (!file.endsWith('.d.ts')) continue
    const code = readFileSync(path, 'utf8').replace(
      /(?<=(?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g,
      '.d.ts',
    )
    writeFileSync(path, code)
  }
  const others = Object.entries({ ...peerDependencies, ...dependencies }).filter(
    ([dependency]) => !dependency.startsWith(SCOPE),
  )
  const configuration = {
    name,
    version: version === '0.0.0' ? FIRST_VERSION : version,
    license,
    exports: entries,
    imports: Object.fromEntries([
      ...others.map(([dependency, range]) => [dependency, `npm:${dependency}@${range}`]),
      ...Object.entries(imports).map(([subpath, target]) => [subpath, resolveTarget(target, ['deno'])]),
    ]),
    publish: { include: ['dist/**/*.js', 'dist/**/*.d.ts', 'README.md', 'LICENSE', 'deno.json'] },
  }
  writeFileSync(join(folder, 'deno.json'), `${JSON.stringify(configuration, undefined, 2)}\n`)
  rmSync(join(folder, 'package.json'))
}

await installEngines([DENO], false)
const folder = mkdtempSync(join(tmpdir(), 'brokerwire-jsr-'))
try {
  for (const { pkg, path } of await tarballs()) {
    if (!PACKAGES.includes(pkg.short)) continue
    const target = join(folder, pkg.short)
    mkdirSync(target)
    await runOrThrow('tar', ['-xzf', path, '-C', target, '--strip-components=1'])
    convert(target)
  }
  const workspace = PACKAGES.map((name) => `./${name}`)
  writeFileSync(join(folder, 'deno.json'), JSON.stringify({ workspace }))
  const env = { DENO_DIR: join(folder, '.deno'), NO_COLOR: '1' }
  const { status, output } = await run(DENO, ['publish', '--dry-run', '--allow-dirty'], { cwd: folder, env })
  report('jsr', status === 0 ? [] : [output], `${PACKAGES.length} packages`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
