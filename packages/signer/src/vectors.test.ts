/** The worked example of the service and the reference vectors: first the canonical string, then the signature. */
import { createSigner, createVerifier } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import { signUrl } from './test/sign-url.ts'
import { fromHex, HTTP_VECTORS, optionsOf, STREAM_VECTORS } from './test/vectors.ts'

const wire = (query: readonly (readonly [string, string])[]): string =>
  query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')

describe.each(Object.entries(HTTP_VECTORS))('HTTP vectors: %s', (_group, vectors) => {
  it(`signs all ${vectors.length}`, async () => {
    expect(vectors.length).toBeGreaterThan(0)
    for (const vector of vectors) {
      const { host, path, query, timestamp, nonce, body } = vector
      const signer = createSigner(optionsOf(vector))
      const signature = await signer.sign({ host, path, query, body: body ?? undefined })
      expect(signature.canonical).toBe(vector.canonical)
      expect(signature.headers).toEqual({
        'x-app-key': vector.appKey,
        'x-timestamp': timestamp,
        'x-signature-version': '1.0',
        'x-signature-algorithm': vector.algorithm,
        'x-signature-nonce': nonce,
        'x-signature': vector.signature,
      })
    }
  })

  it('signs the same from a URL, and returns the signed URL', async () => {
    for (const vector of vectors.filter(({ path }) => /^[!-~]*$/.test(path))) {
      const { host, path, query, body } = vector
      const signer = createSigner(optionsOf(vector))
      const url = `https://${host}${path}?${wire(query)}`
      const signature = await signUrl(signer, { url, body: body ?? undefined })
      expect(signature.canonical).toBe(vector.canonical)
      expect(signature.headers['x-signature']).toBe(vector.signature)
      const [line, search] = signature.url.split('?')
      expect(line).toBe(`https://${host}${path}`)
      expect([...new URLSearchParams(search)].sort()).toEqual([...query].map(([a, b]) => [a, b]).sort())
    }
  })

  it('verifies all of them', async () => {
    for (const vector of vectors.filter(({ path }) => /^[!-~]*$/.test(path))) {
      const { host, path, query, timestamp, body, appKey } = vector
      const verifier = createVerifier({
        secretFor: (key) => (key === appKey ? vector.appSecret : undefined),
        now: () => Date.parse(timestamp),
      })
      const result = await verifier.verify({
        host,
        target: `${path}?${wire(query)}`,
        headers: {
          'x-app-key': appKey,
          'x-timestamp': timestamp,
          'x-signature-version': '1.0',
          'x-signature-algorithm': vector.algorithm,
          'x-signature-nonce': vector.nonce,
          'x-signature': vector.signature,
        },
        body: body === null ? undefined : new TextEncoder().encode(body),
      })
      expect(result).toEqual({ ok: true, appKey })
    }
  })
})

describe.each(Object.entries(STREAM_VECTORS))('stream vectors: %s', (_group, vectors) => {
  it(`signs and verifies all ${vectors.length}`, async () => {
    expect(vectors.length).toBeGreaterThan(0)
    for (const vector of vectors) {
      const { appKey, appSecret, algorithm, timestamp, nonce } = vector
      const now = (): number => Date.parse(timestamp)
      const requestBytes = fromHex(vector.requestHex)
      const signer = createSigner({ appKey, appSecret, streamAlgorithm: algorithm, now, nonce: () => nonce })
      const signature = await signer.signStream(requestBytes)
      expect(signature.canonical).toBe(vector.canonical)
      expect(signature.headers['x-signature']).toBe(vector.signature)
      const verifier = createVerifier({ secretFor: () => appSecret, now })
      expect(await verifier.verifyStream({ headers: signature.headers, requestBytes })).toEqual({
        ok: true,
        appKey,
      })
    }
  })
})
