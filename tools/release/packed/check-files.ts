/**
 * `pnpm check:packed [--update]`: exactly these files are published, no dependency points into the workspace, and each map
 * leads to a source that is published with it: an editor opens TypeScript, and so does a stack trace.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { report } from '../../ci/lib/report.ts'
import { runOrThrow } from '../../ci/lib/run.ts'
import { compareSnapshot } from '../../ci/lib/snapshot.ts'
import { type Tarball, tarballs } from './tarballs.ts'

async function packedFiles({ pkg, path }: Tarball): Promise<string[]> {
  const listing = await runOrThrow('tar', ['-tzf', path])
  const files = listing.trimEnd().split('\n')
  return byStem(files.map((file) => `${pkg.manifest.name}: ${file.replace(/^package\//, '')}`))
}

/** What differs by its ending alone shares a line: `dist/index{.d.ts,.d.ts.map,.js,.js.map}`. */
function byStem(files: readonly string[]): string[] {
  const endings = new Map<string, string[]>()
  for (const file of files) {
    const compiled = /^(.*: dist\/.*?)((?:\.d\.ts|\.js)(?:\.map)?)$/.exec(file)
    const stem = compiled?.[1] ?? file
    endings.set(stem, [...(endings.get(stem) ?? []), ...(compiled?.[2] === undefined ? [] : [compiled[2]])])
  }
  return [...endings]
    .map(([stem, list]) => (list.length === 0 ? stem : `${stem}{${list.sort().join()}}`))
    .sort()
}

async function manifestProblems({ pkg, path }: Tarball): Promise<string[]> {
  const manifest = await runOrThrow('tar', ['-xzOf', path, 'package/package.json'])
  const problems = /"(workspace|catalog|file|link):/.test(manifest)
    ? [`${pkg.manifest.name}: the packed manifest names a dependency that only the workspace knows`]
    : []
  if (pkg.manifest.private) problems.push(`${pkg.manifest.name}: private, and in packages/`)
  return problems
}

/** Maps whose sources are not in the tarball, and declarations without a map. */
async function mapProblems({ pkg, path }: Tarball): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-packed-'))
  try {
    await runOrThrow('tar', ['-xzf', path, '-C', folder, '--strip-components=1'])
    const listing = await runOrThrow('tar', ['-tzf', path])
    const files = new Set(listing.split('\n').map((file) => file.replace(/^package\//, '')))
    const inDist = [...files].filter((file) => file.startsWith('dist/'))
    const unmapped = inDist.filter((file) => file.endsWith('.d.ts') && !files.has(`${file}.map`))
    const lost = inDist
      .filter((file) => file.endsWith('.map'))
      .filter((file) => {
        const { sources } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
          readonly sources: readonly string[]
        }
        const own = sources.filter((source) => !source.startsWith('\0'))
        return own.some((source) => !files.has(posix.join(posix.dirname(file), source)))
      })
    return [
      ...unmapped.map((file) => `${pkg.manifest.name}: ${file} has no map`),
      ...lost.map((file) => `${pkg.manifest.name}: ${file} leads to a file that is not published`),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const packed = await tarballs()
const files = (await Promise.all(packed.map(packedFiles))).flat()
const problems = (
  await Promise.all(packed.flatMap((one) => [manifestProblems(one), mapProblems(one)]))
).flat()
for (const { pkg } of packed) {
  for (const wanted of ['README.md', 'LICENSE']) {
    const line = `${pkg.manifest.name}: ${wanted}`
    if (!files.includes(line)) problems.push(`${line} is missing from the tarball`)
  }
}
problems.push(
  ...compareSnapshot('tools/release/snapshots/packed-files.txt', files, process.argv.includes('--update')),
)
report(
  'packed files (after an intended change: pnpm check:packed --update)',
  problems,
  `${files.length} files in ${packed.length} packages as in the snapshot`,
)
