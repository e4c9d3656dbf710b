/**
 * `pnpm check:sizes [--parts | --modules [ENTRY]]`. Sizes of named imports, as a user's bundler would make them: esbuild,
 * minified, then gzip -9; and how many files of ours an import reads in Node, because it pays by the file: `pnpm
 * bench:import` measures the time, which no gate could hold. A limit that is exceeded ends with status 1, and so does a
 * bundle that holds something from outside the scope. Reads the built packages: run `turbo run build` first. `--modules`
 * reads the sources alone: what each module of a bundle weighs.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { bundled, root } from './bundled.ts'
import { gzipped, modulesOf, partsOf } from './composition.ts'
import { LIMITS, type Limit, MAX_FILES, SCOPE } from './limits.ts'

/** Gzipped bytes of one import, and the files outside the scope that it reached. */
async function measure(limit: Limit): Promise<{ bytes: number; foreign: readonly string[] }> {
  const result = await bundled(limit)
  const [output] = result.outputFiles
  if (output === undefined) throw new Error(`no output for ${limit.names}`)
  const foreign = Object.keys(result.metafile.inputs).filter((path) => !/^(?:packages\/|<stdin>)/.test(path))
  return { bytes: gzipped(output.contents), foreign }
}

/** The built files that an import of an entry reads in Node at once: what is loaded when it is used does not count. */
async function filesOf(entry: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    stdin: { contents: `import '${entry}'`, resolveDir: join(root, 'tools') },
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    // What a package says of itself would leave all of it out.
    ignoreAnnotations: true,
    write: false,
    metafile: true,
  })
  const read = new Set<string>()
  const add = (path: string): void => {
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || !next.startsWith('packages/') || read.has(next)) continue
      read.add(next)
      add(next)
    }
  }
  add('<stdin>')
  return read
}

const namesOf = ({ names, besides = {} }: Limit): string =>
  [names, ...Object.entries(besides).map(([from, imported]) => `${imported} of ${from}`)].join(', ')

/** Holds everything against its limit. @returns Whether it all holds. */
async function check(parts: boolean): Promise<boolean> {
  let failed = 0
  for (const limit of LIMITS) {
    const { bytes, foreign } = await measure(limit)
    const ok = bytes <= limit.maxBytes && foreign.length === 0
    if (!ok) failed += 1
    console.log(
      `${ok ? 'ok  ' : 'FAIL'} ${limit.from} ${namesOf(limit)}: ${bytes} of ${limit.maxBytes} bytes`,
    )
    if (parts) for (const line of await partsOf(limit)) console.log(line)
    for (const path of foreign) console.log(`     outside ${SCOPE}: ${path}`)
  }
  for (const [entry, maxFiles] of Object.entries(MAX_FILES)) {
    const files = await filesOf(entry)
    const ok = files.size <= maxFiles
    if (!ok) failed += 1
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${entry} in Node: ${files.size} of ${maxFiles} files`)
  }
  console.log(`${LIMITS.length + Object.keys(MAX_FILES).length - failed} passed, ${failed} failed`)
  return failed === 0
}

/** What the bundles of an entry, or of all, are made of. */
async function showModules(entry: string | undefined): Promise<void> {
  const shown = LIMITS.filter(({ from }) => entry === undefined || from === `${SCOPE}/${entry}`)
  if (shown.length === 0) throw new Error(`no limit is set for ${SCOPE}/${entry}`)
  for (const limit of shown) {
    console.log(`${limit.from} ${namesOf(limit)}: gzipped and minified bytes`)
    for (const line of await modulesOf(limit)) console.log(line)
  }
}

const { values, positionals } = parseArgs({
  options: { parts: { type: 'boolean', default: false }, modules: { type: 'boolean', default: false } },
  allowPositionals: true,
})
if (values.modules) await showModules(positionals[0])
else process.exitCode = (await check(values.parts)) ? 0 : 1
