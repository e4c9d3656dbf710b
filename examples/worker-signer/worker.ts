/**
 * A Cloudflare Worker that signs requests and forwards them. Callers never see the app secret, which is in a binding. It signs only for
 * callers with `CALLER_TOKEN`, because an open signer would be as bad as a leaked secret. If that binding is not set, every caller is
 * rejected.
 */
import { createSigner, isSignerError, type Signer, signRequest } from '@brokerwire/signer'

/** The Worker's bindings. Secrets are set with `wrangler secret put`. */
export interface Env {
  readonly APP_KEY: string
  readonly APP_SECRET: string
  /** The token of callers, in `Authorization: Bearer ...`. */
  readonly CALLER_TOKEN: string
  /** Origin of the service, for example `https://api.sandbox.example.com`. */
  readonly SERVICE_URL: string
}

const BINDINGS = ['APP_KEY', 'APP_SECRET', 'CALLER_TOKEN', 'SERVICE_URL'] as const

/** One signer for all requests of this isolate. */
let signer: Signer | undefined

const digest = async (text: string): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).join()

/**
 * Whether the request has the token of callers. Digests are compared, so that the duration reveals nothing
 * about the token.
 */
async function isCaller(request: Request, env: Env): Promise<boolean> {
  const given = request.headers.get('authorization') ?? ''
  return (await digest(given)) === (await digest(`Bearer ${env.CALLER_TOKEN}`))
}

const refuse = (status: number, error: string): Response => Response.json({ error }, { status })

const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    const unset = BINDINGS.filter((name) => !env[name])
    if (unset.length > 0) return refuse(500, `not set: ${unset.join(', ')}`)
    if (!(await isCaller(request, env))) return refuse(401, 'unknown caller')
    if (!/^https?:/.test(URL.parse(env.SERVICE_URL)?.protocol ?? ''))
      return refuse(500, 'SERVICE_URL must be a URL')
    const { pathname, search } = new URL(request.url)
    const forwarded = new Request(`${env.SERVICE_URL}${pathname}${search}`, request)
    forwarded.headers.delete('authorization')
    forwarded.headers.set('x-version', 'v2')
    try {
      signer ??= createSigner({ appKey: env.APP_KEY, appSecret: env.APP_SECRET })
      const signed = await signRequest(signer, forwarded, { maxBodyBytes: 1_000_000 })
      // The signed request follows no redirect, because a redirect would send the signature to another host.
      return await fetch(signed)
    } catch (error) {
      if (isSignerError(error, 'SIGNER_OPTION_INVALID')) return refuse(500, error.code)
      if (isSignerError(error)) return refuse(400, error.code)
      return refuse(502, 'the service did not respond')
    }
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
