/** The code of a package in `dist`: a file for each entry, and the parts that entries share. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type OutputOptions, type Plugin, type RolldownOutput, rolldown } from 'rolldown'
import { droppable } from './droppable.ts'

/** The files in `dist` that a manifest or a command names, without their ending. */
export function entriesOf(texts: readonly string[]): string[] {
  const named = texts.flatMap((text) => [...text.matchAll(/(?<=["']\.{1,2}\/dist\/)[^"']+(?=\.js["'])/g)])
  return [...new Set(named.map(([stem]) => stem))].sort()
}

const droppablePlugin: Plugin = {
  name: 'droppable',
  transform(code, _id, { magicString }) {
    if (magicString === undefined) throw new Error('rolldown was set to give a magic string')
    for (const [at, text] of droppable(this.parse(code, { lang: 'ts' }))) magicString.appendLeft(at, text)
    return { code: magicString }
  },
}

/** A part of fewer bytes is not worth a file: it is put to another that is loaded by nearly the same entries. */
const MERGED_BYTES = 10_000

/** Whether parts import each other. Such a part may read a constant of another one that has not been evaluated yet. */
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
  // Parts of an earlier build may have had other names.
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (/\.js(?:\.map)?$/.test(file)) rmSync(join(dist, file))
  const bundle = await rolldown({
    cwd: directory,
    input: Object.fromEntries(stems.map((stem) => [stem, `./src/${stem}.ts`])),
    // Its own helpers, for syntax that Node 20 lacks, are put into the file.
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
            // Modules of a dynamic import, and their importers, stay separate files: a bundler of one file begins such files
            // at their first use, and removes nothing from them.
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
    // Parts of modules that are loaded by the same entries import each other in one direction. Merged ones may not.
    const isCyclic = hasCycle(await bundle.generate(options(MERGED_BYTES)))
    await bundle.write(options(isCyclic ? 0 : MERGED_BYTES))
  } finally {
    await bundle.close()
  }
}
