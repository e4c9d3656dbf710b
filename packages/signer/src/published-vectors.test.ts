/** The published vectors, computed by another implementation in another language. */
import { createSigner, isSignerError } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import published from '../vectors.json' with { type: 'json' }
import { signUrl } from './test/sign-url.ts'
import { fromHex, type HttpVector, optionsOf, type StreamVector } from './test/vectors.ts'

const http = published.http as unknown as readonly HttpVector[]
const streams = published.streams as unknown as readonly StreamVector[]
const options = published.options as unknown as readonly {
  name: string
  options: object
  vector: HttpVector
}[]

async function signed(vector: HttpVector, others: object = {}) {
  const { host, path, query, body } = vector
  const signer = createSigner({ ...optionsOf(vector), ...others })
  return signer.sign({ host, path, query, body: body ?? undefined })
}

describe('published vectors', () => {
  it.each(http.map((vector) => [vector.name ?? '', vector] as const))('http: %s', async (_name, vector) => {
    const signature = await signed(vector)
    expect(signature.canonical).toBe(vector.canonical)
    expect(signature.headers['x-signature']).toBe(vector.signature)
  })

  it.each(streams.map((vector) => [vector.name ?? '', vector] as const))(
    'stream: %s',
    async (_name, vector) => {
      const signer = createSigner({ ...optionsOf(vector), algorithm: 'HMAC-SHA1' })
      const signature = await signer.signStream(fromHex(vector.requestHex))
      expect(signature.canonical).toBe(vector.canonical)
      expect(signature.headers['x-signature']).toBe(vector.signature)
    },
  )

  it.each(options.map((record) => [record.name, record] as const))('option: %s', async (_name, record) => {
    const signature = await signed(record.vector, record.options)
    expect(signature.canonical).toBe(record.vector.canonical)
    expect(signature.headers['x-signature']).toBe(record.vector.signature)
    expect((await signed(record.vector)).canonical).not.toBe(record.vector.canonical)
  })

  it.each(published.urls.map((record) => [record.name, record] as const))(
    'url: %s',
    async (_name, record) => {
      const fixed = { appKey: 'k', appSecret: 's', now: () => 0, nonce: () => '0'.repeat(32) }
      const signer = createSigner(fixed)
      const { canonical, url } = await signUrl(signer, { url: record.url })
      const query = record.signedQuery as unknown as readonly (readonly [string, string])[]
      const parts = await signer.sign({
        host: record.signedHost,
        path: record.signedPath,
        query,
      })
      expect(canonical).toBe(parts.canonical)
      expect(url).toBe(record.sentUrl)
    },
  )

  it.each(published.refusedUrls.map(({ name, url }) => [name, url] as const))(
    'refused: %s',
    async (_name, url) => {
      const signer = createSigner({ appKey: 'k', appSecret: 's' })
      const error: unknown = await signUrl(signer, { url }).catch((reason: unknown) => reason)
      expect(isSignerError(error, 'SIGNER_TARGET_INVALID')).toBe(true)
    },
  )
})
