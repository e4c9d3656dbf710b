/**
 * `pnpm consumers [--all]`: runs the projects of consumers with the tarballs that a release would publish.
 * The default is the plain Node project. npm installs the tarball of a package together with those of its
 * dependencies in the workspace.
 */
import { BUN, DENO, installEngines } from '../runtimes/engines.ts'
import { CONSUMERS, PLAIN_NODE } from './consumers.ts'
import { sourcesOf } from './packed/tarballs.ts'
import { Rehearsal } from './rehearsal.ts'

const all = process.argv.includes('--all')
if (all) await installEngines([DENO, BUN], false)

const rehearsal = new Rehearsal()
try {
  for (const consumer of all ? CONSUMERS : [PLAIN_NODE])
    await rehearsal.consume(consumer, await sourcesOf(consumer.installs))
} finally {
  rehearsal.end('consumers')
}
