/** The suite in Node, Deno or Bun: its outcomes on standard output. */
import { createSyncSigner } from '@brokerwire/signer/sync'
import { runSuite } from './suite.ts'

console.log(JSON.stringify(await runSuite(createSyncSigner)))
