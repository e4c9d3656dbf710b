/**
 * `pnpm release:consumers [--update]`: the short form of the rehearsal, for every change. The tarballs as they are packed, on a
 * registry of a few lines; every kind of consumer installs what it needs from there, and runs.
 */
import { installMissing } from '../runtimes/install.ts'
import { createRehearsal, rehearseConsumers } from './rehearsal.ts'
import { serveTarballs } from './served.ts'

if (process.env.CI) await installMissing()
const registry = await serveTarballs()
const rehearsal = createRehearsal(registry.npmrc)
try {
  rehearsal.end(
    await rehearseConsumers(rehearsal),
    'consumers (after an intended change: pnpm release:consumers --update)',
  )
} finally {
  await registry.close()
  rehearsal.close()
}
