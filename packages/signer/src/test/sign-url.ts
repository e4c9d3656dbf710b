/** Signs a URL, as users do it: what `fromUrl` throws becomes a rejection too. */
import { fromUrl, type Signature, type Signer } from '@brokerwire/signer'

export interface UrlRequest {
  readonly url: string
  readonly host?: string
  readonly body?: string | Uint8Array | undefined
}

export async function signUrl(
  signer: Pick<Signer, 'sign'>,
  { url, host, body }: UrlRequest,
): Promise<Signature> {
  // Awaited here: workerd reports a rejection that nobody has taken at once.
  return await signer.sign({ ...fromUrl(url, host), body })
}
