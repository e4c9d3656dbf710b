/**
 * Bundles the code of a package into `dist`: a file for each entry, and chunks that several entries share.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type OutputOptions, type Plugin, type RolldownOutput, rolldown } from 'rolldown'
import { droppable } from './droppable.ts'

/** The files in `dist` that a manifest or a command names, without their extension. */
export function entriesOf(texts: readonly string[]): string[] {
  const named = texts.flatMap((text) => [...text.matchAll(/(?<=["']\.{1,2}\/dist\/)[^"']+(?=\.js["'])/g)])
  return [...new Set(named.map(([stem]) => stem))].sort()
}

const droppablePlugin: Plugin = {
  name: 'droppable',
  transform(code, _id, { magicString }) {
    if (magicString === undefined) throw new Error('rolldown must pass a magic string (nativeMagicString)')
    for (const [at, text] of droppable(this.parse(code, { lang: 'ts' }))) magicString.appendLeft(at, text)
    return { code: magicString }
  },
}

/**
 * Minimum size of a chunk. A smaller chunk is merged with another chunk that nearly the same entries load.
 */
const MERGED_BYTES = 10_000

/**
 * Whether chunks import each other in a cycle. A chunk in a cycle may read a constant of another chunk before
 * that chunk is evaluated.
 */
function hasCycle({ output }: RolldownOutput): boolean {
  const imports = new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.imports : []]))
  const done = new Set<string>()
  const isInCycle = (file: string, importers: readonly string[]): boolean => {
    if (importers.includes(file)) return true
    if (done.has(file)) return false
    const found = (imports.get(file) ?? []).some((imported) => isInCycle(imported, [...importers, file]))
    done.add(file)
    return found
  }
  return [...imports.keys()].some((file) => isInCycle(file, []))
}

/** Bundles one package into its `dist`. Imports of other packages stay imports. */
export async function bundlePackage(directory: string): Promise<void> {
  const manifest = readFileSync(join(directory, 'package.json'), 'utf8')
  const { bin = {} } = JSON.parse(manifest) as { readonly bin?: Readonly<Record<string, string>> }
  const commands = Object.values(bin).map((file) => readFileSync(join(directory, file), 'utf8'))
  const stems = entriesOf([manifest, ...commands])
  const dist = join(directory, 'dist')
  // Removes the files of an earlier build, whose chunks may have other names.
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (/\.js(?:\.map)?$/.test(file)) rmSync(join(dist, file))
  const bundle = await rolldown({
    cwd: directory,
    input: Object.fromEntries(stems.map((stem) => [stem, `./src/${stem}.ts`])),
    // Only the package's own modules and the bundler's helpers, for syntax that Node 20 lacks, are written
    // into the files.
    external: (id) => !/^(?:[./]|\0|@oxc-project\/)/.test(id),
    platform: 'neutral',
    tsconfig: false,
    checks: { bundlerTimings: false },
    transform: { target: 'es2022' },
    plugins: [droppablePlugin],
    experimental: { nativeMagicString: true },
  })
  const options = (mergedBytes: number): OutputOptions => {
    return {
      dir: dist,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: ({ name }) => `${name.replace(/~.*/, '')}.part.js`,
      codeSplitting: {
        groups: [
          {
            // Modules that are imported dynamically, and their importers, stay separate files, because a
            // user's bundler that writes one file wraps such modules in functions, and removes nothing from
            // them.
            name: (id, modules) => {
              const { dynamicImporters = [], dynamicallyImportedIds = [] } = modules.getModuleInfo(id) ?? {}
              return dynamicImporters.length + dynamicallyImportedIds.length === 0 ? 'shared' : null
            },
            debugName: 'shared',
            minShareCount: 2,
            entriesAware: true,
            entriesAwareMergeThreshold: mergedBytes,
          },
        ],
      },
      sourcemap: true,
      sourcemapExcludeSources: true,
      comments: { annotation: true, legal: true, jsdoc: false },
    }
  }
  try {
    // Without merging, chunks import each other in one direction only. If merged chunks form a cycle, the
    // chunks are not merged.
    const isCyclic = hasCycle(await bundle.generate(options(MERGED_BYTES)))
    await bundle.write(options(isCyclic ? 0 : MERGED_BYTES))
  } finally {
    await bundle.close()
  }
}
