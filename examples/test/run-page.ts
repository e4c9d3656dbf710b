/** Runs the first program of a package's page, as a user would who copied it. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { asModule } from '@brokerwire/testing/bundle-program'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import { EXAMPLES } from './bundle-programs.ts'

/** A program of a page, in a folder that is removed after the test. */
export interface PageProgram {
  /** Path of the bundle. */
  readonly file: string
  /** Runs the program in its folder, and returns its output. Rejects if the program fails. */
  run(env?: Readonly<Record<string, string>>): Promise<string>
}

/**
 * Bundles the first TypeScript block of `packages/NAME/README.md`.
 *
 * @param replacements - Placeholders of the page, each with a value. Fails if the page does not contain one.
 */
export async function pageProgram(
  name: string,
  replacements: Readonly<Record<string, string>> = {},
): Promise<PageProgram> {
  const page = await readFile(join(EXAMPLES, '../packages', name, 'README.md'), 'utf8')
  const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? []
  if (code === undefined) throw new Error(`the page of ${name} has no program`)
  const contents = Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the program of ${name} does not contain ${from}`)
    return text.replaceAll(from, to)
  }, code)
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-page-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'program.mjs')
  await build({ ...asModule, stdin: { contents, resolveDir: EXAMPLES, loader: 'ts' }, outfile: file })
  return {
    file,
    async run(env = {}) {
      const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env }, timeout: 50_000 }
      return (await promisify(execFile)(process.execPath, [file], options)).stdout
    },
  }
}
