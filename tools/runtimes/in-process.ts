/** The suites in Node, Deno or Bun: their outcomes on standard output. */
import { createSyncSigner } from '@brokerwire/signer/sync'
import { runSuites } from './suite.ts'

// Node 20 has no WebSocket.
const webSocket = 'WebSocket' in globalThis ? undefined : (await import('ws')).WebSocket

console.log(JSON.stringify(await runSuites({ tcp: true, webSocket, createSyncSigner })))
