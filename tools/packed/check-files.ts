/** `pnpm check:packed [--update]`: exactly these files are published, and no dependency points into the workspace. */
import { report } from '../lib/report.ts'
import { runOrThrow } from '../lib/run.ts'
import { compareSnapshot } from '../lib/snapshot.ts'
import { type Tarball, tarballs } from './tarballs.ts'

async function packedFiles({ pkg, path }: Tarball): Promise<string[]> {
  const listing = await runOrThrow('tar', ['-tzf', path])
  const files = listing.trimEnd().split('\n')
  return byStem(files.map((file) => `${pkg.manifest.name}: ${file.replace(/^package\//, '')}`))
}

/** What the compiler makes of one source shares a line: `dist/clock{.d.ts,.d.ts.map,.js,.js.map}`. */
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

const packed = await tarballs()
const files = (await Promise.all(packed.map(packedFiles))).flat()
const problems = (await Promise.all(packed.map(manifestProblems))).flat()
for (const { pkg } of packed) {
  for (const wanted of ['README.md', 'LICENSE']) {
    const line = `${pkg.manifest.name}: ${wanted}`
    if (!files.includes(line)) problems.push(`${line} is missing from the tarball`)
  }
}
problems.push(
  ...compareSnapshot('tools/snapshots/packed-files.txt', files, process.argv.includes('--update')),
)
report(
  'packed files (after an intended change: pnpm check:packed --update)',
  problems,
  `${files.length} files in ${packed.length} packages as in the snapshot`,
)
