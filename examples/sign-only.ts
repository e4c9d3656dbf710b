/**
 * Shows the signer with plain `fetch`, for programs with another HTTP client. Send exactly what was signed:
 * the URL that the signer returned, and the same body.
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
  // Redirects are not followed, because a redirect would send the signature to another host.
  const response = await fetch(url, { headers: { ...headers, 'x-version': 'v2' }, redirect: 'manual' })
  console.log(response.status, await response.text())
} catch (error) {
  endWith(error)
}
