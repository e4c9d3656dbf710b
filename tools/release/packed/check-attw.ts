/** `pnpm check:attw`: the types of each tarball resolve as its code does, in every way of ESM. */
import { report } from '../../ci/lib/report.ts'
import { run } from '../../ci/lib/run.ts'
import { tarballs } from './tarballs.ts'

const packed = await tarballs()
const problems: string[] = []
for (const { pkg, path } of packed) {
  const { status, output } = await run('attw', [path, '--profile', 'esm-only', '--no-color', '--no-emoji'])
  if (status !== 0) problems.push(`${pkg.manifest.name}:\n${output}`)
}
report('attw', problems, `${packed.length} tarballs, esm-only`)
