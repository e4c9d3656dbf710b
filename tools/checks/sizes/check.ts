/**
 * `pnpm check sizes`: compares the size of named imports in a Worker's bundle (esbuild, minified, gzip -9)
 * with the budgets. A bundle must contain only packages of the scope `@brokerwire`. size-limit is not used,
 * because it imports packages by the paths of their files, and not through their `exports`.
 */

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build as bundle } from 'esbuild'
import { ROOT, SCOPE } from '../../ci/lib/workspace.ts'
import { build } from '../../release/build.ts'
import type { CheckResult } from '../result.ts'
import { BUDGETS } from './budgets.ts'

/**
 * Bundles the imports.
 *
 * @returns Gzipped bytes, and the files that are not from the scope.
 */
export async function measure(
  imports: Readonly<Record<string, string>>,
): Promise<{ readonly bytes: number; readonly foreign: readonly string[] }> {
  const lines = Object.entries(imports).map(([from, names]) => `export { ${names} } from '${SCOPE}${from}'`)
  const { metafile, outputFiles } = await bundle({
    stdin: { contents: lines.join('\n'), resolveDir: join(ROOT, 'tools') },
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    // The application has the peer in any case.
    external: ['cloudflare:sockets', '@opentelemetry/api'],
    write: false,
    metafile: true,
  })
  const foreign = Object.keys(metafile.inputs).filter((path) => !/^(?:packages\/|<stdin>)/.test(path))
  return { bytes: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length, foreign }
}

export async function check(): Promise<CheckResult> {
  await build()
  const problems: string[] = []
  for (const [imports, maxBytes] of BUDGETS) {
    const { bytes, foreign } = await measure(imports)
    const name = Object.entries(imports)
      .map(([from, names]) => `${names} of ${from}`)
      .join(', ')
    console.log(`  ${String(bytes).padStart(6)} of ${String(maxBytes).padStart(6)} bytes  ${name}`)
    if (bytes > maxBytes) problems.push(`${name}: ${bytes} bytes; the budget is ${maxBytes}`)
    for (const path of foreign) problems.push(`${name}: includes ${path}, from outside ${SCOPE}`)
  }
  return { problems, checked: `${BUDGETS.length} bundles` }
}
