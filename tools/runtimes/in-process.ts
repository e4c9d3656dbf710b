/** The suite in Node, Deno or Bun: its outcomes on standard output. */
import { createSyncSigner } from '@brokerwire/signer/sync'
import { runSuite } from './suite.ts'

// Node has a WebSocket from version 22 on.
const webSocket = 'WebSocket' in globalThis ? undefined : (await import('ws')).WebSocket

console.log(JSON.stringify(await runSuite({ tcp: true, webSocket, createSyncSigner })))
