/** Signs one request with a fixed nonce and a fixed time, and prints each step of the signature. */
import { createSigner, explain, fromUrl } from '@brokerwire/signer'

const signer = createSigner({
  appKey: 'my-key',
  appSecret: 'my-secret',
  // Fixed, so that each run prints the same signature. Leave out both options in your program.
  now: () => Date.UTC(2026, 0, 31, 12),
  nonce: () => '0123456789abcdef0123456789abcdef',
})
const url = 'https://api.example.com/orders?page=2&note=a+b'
const body = '{}'
const { headers } = await signer.sign({ ...fromUrl(url), body })
console.log((await explain({ url, headers, body })).text)
console.log(`signature   ${headers['x-signature']}`)
