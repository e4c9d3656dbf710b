/**
 * The signer alone, with plain `fetch`: for programs that have an HTTP client of their own. What is sent is exactly what
 * was signed: the URL that the signature gives, and the same text of the body.
 */
import { resolveEndpoint } from '@brokerwire/core/endpoints'
import { createSigner, fromUrl } from '@brokerwire/signer'
import { endWith } from './end-with.ts'
import { readSettings } from './settings.ts'

try {
  const { appKey, appSecret, ...where } = readSettings()
  const { baseUrl, algorithm } = resolveEndpoint(where)
  const signer = createSigner({ appKey, appSecret, algorithm })

  const { url, headers } = await signer.sign(fromUrl(`${baseUrl}/openapi/config?b=2%203&a=%26`))
  // A redirect would lead a signed request elsewhere.
  const response = await fetch(url, { headers: { ...headers, 'x-version': 'v2' }, redirect: 'manual' })
  console.log(response.status, await response.text())
} catch (error) {
  endWith(error)
}
