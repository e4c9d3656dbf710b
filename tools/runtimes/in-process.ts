/** Runs the suites in Node, Deno or Bun, and writes their outcomes to standard output. */
import { createSyncSigner } from '@brokerwire/signer/sync'
import type { createSendControl } from '../../packages/http/src/host/any.ts'
import { nodeFetchCases } from '../../packages/http/src/test/node-fetch-cases.ts'
import { runSuites } from './suite.ts'

// Node 20 has no WebSocket.
const webSocket = 'WebSocket' in globalThis ? undefined : (await import('ws')).WebSocket

/** The cases of Node's `fetch`, which test the host-specific file of the installed package. */
async function installedCases() {
  const file = new URL('node_modules/@brokerwire/http/dist/host/any.js', import.meta.url).href
  const host = (await import(file)) as { readonly createSendControl: typeof createSendControl }
  return nodeFetchCases(host.createSendControl)
}
const isNode = !('Bun' in globalThis || 'Deno' in globalThis)
const hostCases = isNode ? await installedCases() : {}

console.log(JSON.stringify(await runSuites({ tcp: true, webSocket, createSyncSigner, hostCases })))
