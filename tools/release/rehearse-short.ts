/**
 * `pnpm consumers [--all]`: runs the projects of consumers with the tarballs that a release would publish.
 * The default is the plain Node project. npm installs the tarball of a package together with those of its
 * dependencies in the workspace.
 */
import { SCOPE } from '../ci/lib/workspace.ts'
import { BUN, DENO, installEngines } from '../runtimes/engines.ts'
import { CONSUMERS, PLAIN_NODE } from './consumers.ts'
import { tarballs } from './packed/tarballs.ts'
import { Rehearsal } from './rehearsal.ts'

const all = process.argv.includes('--all')
if (all) await installEngines([DENO, BUN], false)
const packed = await tarballs()

/**
 * Returns the tarballs of these packages and of all workspace packages that they depend on. Names of other
 * packages are returned unchanged.
 */
function sources(names: readonly string[]): string[] {
  const closure = new Set(names)
  for (const name of closure)
    for (const dependency of Object.keys(
      packed.find(({ pkg }) => pkg.manifest.name === name)?.pkg.manifest.dependencies ?? {},
    ))
      if (dependency.startsWith(SCOPE)) closure.add(dependency)
  return [...closure].map((name) => packed.find(({ pkg }) => pkg.manifest.name === name)?.path ?? name)
}

const rehearsal = new Rehearsal()
try {
  for (const consumer of all ? CONSUMERS : [PLAIN_NODE])
    await rehearsal.consume(consumer, sources(consumer.installs))
} finally {
  rehearsal.end('consumers')
}
