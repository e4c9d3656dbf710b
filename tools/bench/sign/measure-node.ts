/** The part that runs in a plain Node, bundled by `main.ts`: writes the rounds of every contender as JSON. */
import { createSigner } from '@brokerwire/signer'
import { createSyncSigner } from '@brokerwire/signer/sync'
import { signNatively } from './native.ts'
import { PEERS } from './peers.ts'
import { APP_KEY, APP_SECRET, BODY_BYTES, HOST, PATH, QUERY } from './request.ts'
import { measureRounds } from './rounds.ts'

const options = { appKey: APP_KEY, appSecret: APP_SECRET }
const ours = createSyncSigner(options)
const oursAsync = createSigner(options)
const body = new Uint8Array(BODY_BYTES).fill(97)
const get = { host: HOST, path: PATH, query: QUERY }
const post = { host: HOST, path: PATH, body }

const results = await measureRounds(
  {
    'ours, sync': () => ours.sign(get),
    'ours, async': () => oursAsync.sign(get),
    native: () => signNatively(HOST, PATH, QUERY),
    ...PEERS,
    'ours, 64 KiB': () => ours.sign(post),
    'native, 64 KiB': () => signNatively(HOST, PATH, [], body),
  },
  15,
  40,
)
process.stdout.write(JSON.stringify(results))
