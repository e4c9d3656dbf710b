/** Measures signatures and verification in Node, plain code on `node:crypto`, and other signers. */
import { createSigner, createVerifier, type VerifyInput } from '@brokerwire/signer'
import { createSyncSigner } from '@brokerwire/signer/sync'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { measureRounds } from '../rounds.ts'
import { PEERS, signNatively } from './peers.ts'
import { APP_KEY, APP_SECRET, BODY_BYTES, HOST, PATH, QUERY } from './request.ts'

const options = { appKey: APP_KEY, appSecret: APP_SECRET }
const signer = createSyncSigner(options)
const asyncSigner = createSigner(options)
const body = new Uint8Array(BODY_BYTES).fill(97)
const get = { host: HOST, path: PATH, query: QUERY }
const post = { host: HOST, path: PATH, body }

/** Requests with different nonces. A verifier stores more nonces for one key than there are requests here. */
const nowMs = Date.now()
const fixedTimeSigner = createSyncSigner({ ...options, now: () => nowMs })
const requests: readonly VerifyInput[] = Array.from({ length: 4096 }, () => {
  const { headers, url } = fixedTimeSigner.sign(get)
  const others = { accept: '*/*', 'user-agent': 'bench', 'x-version': 'v2', connection: 'keep-alive' }
  return { host: HOST, target: url.slice(`https://${HOST}`.length), headers: { ...others, ...headers } }
})
const newVerifier = () => createVerifier({ secretFor: () => APP_SECRET, now: () => nowMs })
let verifier = newVerifier()
let next = 0

/**
 * Verifies the next request. After the last request, a new verifier replaces the old one, so that each
 * verifier gets each request once.
 */
async function verifyNext(): Promise<void> {
  if (next === requests.length) {
    verifier = newVerifier()
    next = 0
  }
  const result = await verifier.verify(requests[next++] as VerifyInput)
  if (!result.ok) throw new Error(`refused: ${result.rule}`)
}

const commands = {
  measure: (rounds: number) =>
    measureRounds(
      {
        sign: () => signer.sign(get),
        'sign, async': () => asyncSigner.sign(get),
        verify: verifyNext,
        native: () => signNatively(HOST, PATH, QUERY),
        ...PEERS,
        'sign, 64 KiB': () => signer.sign(post),
        'native, 64 KiB': () => signNatively(HOST, PATH, [], body),
      },
      rounds,
      40,
    ),
}
export type NodeCommands = typeof commands
serveCalls(commands)
