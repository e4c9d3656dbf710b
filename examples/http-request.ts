/** A signed request, and how it can fail. */
import { createHttpClient, isHttpError } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'

const { env } = process
const signer = createSigner({
  appKey: env.BROKERWIRE_APP_KEY ?? '',
  appSecret: env.BROKERWIRE_APP_SECRET ?? '',
})
const http = createHttpClient({ baseUrl: env.BROKERWIRE_BASE_URL ?? '', signer })

try {
  const config = await http.request({ method: 'GET', path: '/openapi/config', authenticated: false })
  console.log(config.status, config.json())
} catch (error) {
  if (!isHttpError(error)) throw error
  console.error(`${error.code}: ${error.message}`)
  process.exitCode = 1
}
