/** Signs a URL as a user does. An error of `fromUrl()` rejects the promise too. */
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
  // Awaited here, because workerd reports a rejection without a handler immediately.
  return await signer.sign({ ...fromUrl(url, host), body })
}
