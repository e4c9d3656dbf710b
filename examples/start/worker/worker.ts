import { createSigner, fromUrl } from '@brokerwire/signer'

interface Env {
  readonly APP_KEY: string
  readonly APP_SECRET: string
  readonly BASE_URL: string
}

export default {
  async fetch(_request: Request, env: Env): Promise<Response> {
    const signer = createSigner({ appKey: env.APP_KEY, appSecret: env.APP_SECRET })
    const { url, headers } = await signer.sign(fromUrl(`${env.BASE_URL}/openapi/config`))
    return fetch(url, { headers: { ...headers, 'x-version': 'v2' }, redirect: 'manual' })
  },
}
