/** A server that responds only to signed requests. It verifies the request as received, before any parser. */
import { createServer, type IncomingMessage } from 'node:http'
import { createVerifier } from '@brokerwire/signer'

const { APP_KEY, APP_SECRET, OLD_APP_SECRET, PORT = '8080' } = process.env
if (!APP_KEY || !APP_SECRET) throw new Error('set APP_KEY and APP_SECRET')
// Two secrets of one app key are valid while you replace the secret.
const secrets = new Map([[APP_KEY, OLD_APP_SECRET ? [APP_SECRET, OLD_APP_SECRET] : [APP_SECRET]]])

const verifier = createVerifier({ secretFor: (appKey) => secrets.get(appKey), rejectAmbiguous: true })
const MAX_BODY_BYTES = 1_048_576

/** Reads the bytes of a body; `undefined` if there are too many. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const server = createServer(async (request, response) => {
  const end = (status: number, text = ''): void => void response.writeHead(status).end(text)
  try {
    const body = await readBody(request)
    if (body === undefined) return end(413)
    const { url: target = '', headersDistinct: headers } = request
    const result = await verifier.verify({ host: request.headers.host ?? '', target, headers, body })
    if (result.ok) return end(200, `hello ${result.appKey}\n`)
    // The rule and the expected string are for your log. A caller needs only the status.
    console.log('rejected:', result.rule, result.header ?? '')
    end(result.rule === 'nonce-store-full' ? 503 : 401)
  } catch (error) {
    console.error(error)
    end(500)
  }
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(`listening on http://127.0.0.1:${address?.port}`)
})
