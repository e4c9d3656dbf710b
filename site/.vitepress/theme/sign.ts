/** Signs and explains the request of the workbench. Nothing is sent. */
import { compare, createSigner, explain, fromUrl, type SignatureAlgorithm } from '@brokerwire/signer'
import { diagnoseSignature } from '../../../packages/simulator/src/diagnose-signature.ts'
import { PAGE_HASHES } from './hashes.ts'

/** The fields of the form. */
export interface SignForm {
  readonly appKey: string
  readonly appSecret: string
  readonly algorithm: SignatureAlgorithm
  readonly url: string
  readonly body: string
  readonly timestamp: string
  readonly nonce: string
  /** The canonical string that the other side shows, or an empty string. */
  readonly theirString: string
  /** The signature that the other side has sent, or an empty string. */
  readonly theirSignature: string
}

export interface SignedForm {
  readonly canonical: string
  readonly headers: string
  readonly explanation: string
  readonly comparison: string
  readonly mistake: string
}

export async function signForm(form: SignForm): Promise<SignedForm> {
  const { appKey, appSecret, algorithm, timestamp, nonce } = form
  const signer = createSigner({
    appKey,
    appSecret,
    algorithm,
    now: () => Date.parse(timestamp),
    nonce: () => nonce,
  })
  const body = form.body === '' ? undefined : form.body
  const { headers, url, canonical } = await signer.sign({ ...fromUrl(form.url), body })
  const recorded = { url, headers, body }
  const explained = await explain(recorded)
  const theirString = form.theirString.trim()
  return {
    canonical,
    headers: Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    explanation: explained.text,
    comparison: theirString === '' ? '' : (await compare(recorded, theirString)).text,
    mistake: findMistake(form, headers['x-signature'], {
      path: explained.path,
      entries: explained.entries,
      digest: explained.digest?.hex,
      text: canonical,
    }),
  }
}

function findMistake(
  { algorithm, appSecret, body, theirSignature }: SignForm,
  signature: string,
  canonical: Parameters<typeof diagnoseSignature>[0]['canonical'],
): string {
  const theirs = theirSignature.trim()
  if (theirs === '') return ''
  if (theirs === signature) return 'The two signatures are equal.'
  const found = diagnoseSignature(
    {
      canonical,
      algorithm,
      signature: theirs,
      secret: appSecret,
      body: body === '' ? undefined : new TextEncoder().encode(body),
    },
    PAGE_HASHES,
  )
  return found === undefined
    ? 'No known mistake results in this signature. Compare app key, app secret, timestamp and nonce first.'
    : `The other side ${found.what}.\nIt signed: ${found.theirs}`
}
