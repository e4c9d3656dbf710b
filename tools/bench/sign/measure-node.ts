/** The part that runs in a plain Node, bundled by `main.ts`: writes the rounds of every contender as JSON. */
import { createSigner, createVerifier, type VerifyInput } from '@brokerwire/signer'
import { createSyncSigner } from '@brokerwire/signer/sync'
import { measureRounds } from '../rounds.ts'
import { signNatively } from './native.ts'
import { PEERS } from './peers.ts'
import { APP_KEY, APP_SECRET, BODY_BYTES, HOST, PATH, QUERY } from './request.ts'

const options = { appKey: APP_KEY, appSecret: APP_SECRET }
const ours = createSyncSigner(options)
const oursAsync = createSigner(options)
const body = new Uint8Array(BODY_BYTES).fill(97)
const get = { host: HOST, path: PATH, query: QUERY }
const post = { host: HOST, path: PATH, body }

/** Requests as they arrive, each with its own nonce: fewer than a verifier remembers of one key. */
const nowMs = Date.now()
const atRest = createSyncSigner({ ...options, now: () => nowMs })
const requests: readonly VerifyInput[] = Array.from({ length: 4096 }, () => {
  const { headers, url } = atRest.sign(get)
  const others = { accept: '*/*', 'user-agent': 'bench', 'x-version': 'v2', connection: 'keep-alive' }
  return { host: HOST, target: url.slice(`https://${HOST}`.length), headers: { ...others, ...headers } }
})
const newVerifier = () => createVerifier({ secretFor: () => APP_SECRET, now: () => nowMs })
let verifier = newVerifier()
let next = 0

/** Each request is valid and new: the verifier that has seen all of them is exchanged. */
async function verifyNext(): Promise<void> {
  if (next === requests.length) {
    verifier = newVerifier()
    next = 0
  }
  const result = await verifier.verify(requests[next++] as VerifyInput)
  if (!result.ok) throw new Error(`refused: ${result.rule}`)
}

const results = await measureRounds(
  {
    'ours, sync': () => ours.sign(get),
    'ours, async': () => oursAsync.sign(get),
    'ours, verify': verifyNext,
    native: () => signNatively(HOST, PATH, QUERY),
    ...PEERS,
    'ours, 64 KiB': () => ours.sign(post),
    'native, 64 KiB': () => signNatively(HOST, PATH, [], body),
  },
  15,
  40,
)
process.stdout.write(JSON.stringify(results))
