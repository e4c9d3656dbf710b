/** Finds the first difference between our canonical string and that of a server, and its likely cause. */
import { compare, createSigner, fromUrl, type RecordedRequest } from '@brokerwire/signer'

const signer = createSigner({ appKey: 'my-key', appSecret: 'my-secret' })
const url = 'https://api.example.com/orders?note=a+b'
const body = '{"symbol":"AAPL"}'
const { headers, canonical } = await signer.sign({ ...fromUrl(url), body })

// In your program: the request as you sent it, and the string that the server or your other program signed.
const ours: RecordedRequest = { url, headers, body }
const theirs = canonical.replace('note=a b', 'note=a+b')

const comparison = await compare(ours, theirs)
console.log(comparison.text)
if (!comparison.equal) console.log(`most likely: ${comparison.causes[0].cause}`)
