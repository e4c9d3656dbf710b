/**
 * Compiles every `ts` block as a module, all in one run of the compiler. Imports are resolved as in the
 * project of a user.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../../ci/lib/run.ts'
import { publicPackages, ROOT, readManifest } from '../../ci/lib/workspace.ts'
import { typescriptBlocks } from './blocks.ts'
import type { Document } from './documents.ts'

const CACHE = join(ROOT, 'node_modules/.cache')
const COMPILER = join(ROOT, 'tools/node_modules/typescript-7/bin/tsc')

/** @returns The number of blocks, and `file:line: message` for each error, with the line in the document. */
export async function compileBlocks(
  documents: readonly Document[],
): Promise<{ readonly blocks: number; readonly problems: readonly string[] }> {
  const blocks = documents.flatMap(({ file, text }) =>
    typescriptBlocks(text).map(({ line, code }) => ({ file, line, code })),
  )
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'brokerwire-readme-'))
  try {
    linkPackages(folder)
    for (const [index, { code }] of blocks.entries()) writeFileSync(join(folder, `${index}.ts`), code)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const compilerOptions = {
      moduleDetection: 'force',
      types: ['node'],
      typeRoots: [join(ROOT, 'tools/node_modules/@types')],
    }
    const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const { status, output } = await run(process.execPath, [COMPILER, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
    })
    const problems = output.split(/\n(?=\S)/).flatMap((message) => {
      const [, index = '', line = '', text = message] =
        /^(\d+)\.ts\((\d+),\d+\): ([\s\S]*)/.exec(message.trim()) ?? []
      const block = blocks[Number(index)]
      if (message.trim() === '') return []
      return [
        block === undefined || index === ''
          ? text
          : `${block.file}:${block.line + Number(line) - 1}: ${text}`,
      ]
    })
    if (status !== 0 && problems.length === 0) problems.push(`the compiler ended with status ${status}`)
    return { blocks: blocks.length, problems }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Links every public package, and the dependencies of packages and examples, into `node_modules` of the
 * folder.
 */
function linkPackages(folder: string): void {
  const link = (name: string, target: string): void => {
    const path = join(folder, 'node_modules', name)
    if (existsSync(path) || !existsSync(target)) return
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
  }
  for (const { manifest, directory } of publicPackages()) link(manifest.name, join(ROOT, directory))
  for (const directory of [...publicPackages().map((pkg) => pkg.directory), 'examples']) {
    const { dependencies, devDependencies, peerDependencies } = readManifest(directory)
    for (const name of Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }))
      link(name, join(ROOT, directory, 'node_modules', name))
  }
}
