/** Every entry offers the same names and the same signatures; the synchronous one too. */
import { createSyncSigner } from '@brokerwire/signer/sync'
import { describe, expect, it } from 'vitest'
import { fromHex, HTTP_VECTORS, STREAM_VECTORS } from '../test/vectors.ts'
import * as native from './native.ts'
import * as web from './web.ts'
import * as workerd from './workerd.ts'

describe('entries', () => {
  it('offer the same names', () => {
    expect(Object.keys(web).sort()).toEqual(Object.keys(native).sort())
    expect(Object.keys(workerd).sort()).toEqual(Object.keys(native).sort())
  })

  it.each([
    ['native', native],
    ['web', web],
  ])('%s signs all vectors', async (_name, { createSigner }) => {
    for (const vector of Object.values(HTTP_VECTORS).flat()) {
      const { host, path, query, body, timestamp, nonce } = vector
      const signer = createSigner({ ...vector, now: () => Date.parse(timestamp), nonce: () => nonce })
      const { headers } = await signer.sign({ host, path, query, body: body ?? undefined })
      expect(headers['x-signature']).toBe(vector.signature)
    }
  })
})

describe('createSyncSigner', () => {
  it('signs all vectors without a promise', () => {
    for (const vector of Object.values(HTTP_VECTORS).flat()) {
      const { host, path, query, body, timestamp, nonce } = vector
      const signer = createSyncSigner({ ...vector, now: () => Date.parse(timestamp), nonce: () => nonce })
      const signature = signer.sign({ host, path, query, body: body ?? undefined })
      expect(signature.canonical).toBe(vector.canonical)
      expect(signature.headers['x-signature']).toBe(vector.signature)
    }
    for (const vector of Object.values(STREAM_VECTORS).flat()) {
      const { appKey, appSecret, algorithm, timestamp, nonce } = vector
      const fixed = { now: () => Date.parse(timestamp), nonce: () => nonce }
      const signer = createSyncSigner({ appKey, appSecret, streamAlgorithm: algorithm, ...fixed })
      const signature = signer.signStream(fromHex(vector.requestHex))
      expect(signature.headers['x-signature']).toBe(vector.signature)
    }
  })

  it('throws at once', () => {
    expect(() => createSyncSigner({ appKey: '', appSecret: 's' })).toThrow('appKey: expected')
    const signer = createSyncSigner({ appKey: 'k', appSecret: 's' })
    expect(() => signer.sign({ host: '', path: '/' })).toThrow('host, path: expected')
  })
})
