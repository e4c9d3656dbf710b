/** CommonJS: `require` loads every package of the tarballs, as the documents say of this Node. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../ci/lib/run.ts'
import { publicPackages } from '../../ci/lib/workspace.ts'

/** Loaded by a program, and no library: its entry parses the command line. */
const PROGRAMS = new Set(['cli'])

/** @returns What is wrong, one line each. */
export async function checkRequire(project: string): Promise<string[]> {
  const names = publicPackages()
    .filter(({ short, manifest }) => !PROGRAMS.has(short) && manifest.exports?.['.'] !== undefined)
    .map(({ manifest }) => manifest.name)
  const lines = names.map(
    (name) => `if (Object.keys(require('${name}')).length === 0) throw new Error('${name}')`,
  )
  writeFileSync(join(project, 'require.cjs'), lines.join('\n'))
  const { status, output } = await run('node', ['require.cjs'], { cwd: project })
  return status === 0 ? [] : [`require() of ${names.length} packages: ${output}`]
}
