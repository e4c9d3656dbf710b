/** The synchronous signer: the same signatures, and its errors. */
import { createSyncSigner } from '@brokerwire/signer/sync'
import { describe, expect, it } from 'vitest'
import { fromHex, HTTP_VECTORS, optionsOf, STREAM_VECTORS } from './test/vectors.ts'

describe('createSyncSigner', () => {
  it('signs all vectors without a promise', () => {
    for (const vector of Object.values(HTTP_VECTORS).flat()) {
      const { host, path, query, body } = vector
      const signer = createSyncSigner(optionsOf(vector))
      const signature = signer.sign({ host, path, query, body: body ?? undefined })
      expect(signature.canonical).toBe(vector.canonical)
      expect(signature.headers['x-signature']).toBe(vector.signature)
    }
    for (const vector of Object.values(STREAM_VECTORS).flat()) {
      const signer = createSyncSigner(optionsOf(vector))
      const signature = signer.signStream(fromHex(vector.requestHex))
      expect(signature.headers['x-signature']).toBe(vector.signature)
    }
  })

  it('throws errors synchronously', () => {
    expect(() => createSyncSigner({ appKey: '', appSecret: 's' })).toThrow(
      'appKey must be a non-empty string of visible ASCII; received an empty string',
    )
    const signer = createSyncSigner({ appKey: 'k', appSecret: 's' })
    expect(() => signer.sign({ host: '', path: '/' })).toThrow('host must be a host such as')
  })
})
