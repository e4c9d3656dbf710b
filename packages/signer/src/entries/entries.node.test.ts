/** Every entry offers the same names and the same signatures; the synchronous one too. */
import { createSyncSigner } from '@brokerwire/signer/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe.each([
  ['native', native],
  ['web', web],
])('the functions of %s', (_name, { createSigner, createVerifier, explain, compare }) => {
  it('name the option that is missing where there are none', () => {
    for (const make of [createSigner, createVerifier]) {
      expect(() => make(undefined as never)).toThrow(
        expect.objectContaining({ code: 'SIGNER_OPTION_INVALID' }),
      )
    }
  })

  it('sign, verify, explain and compare', async () => {
    const signer = createSigner({ appKey: 'k', appSecret: 's' })
    const place = { host: 'h', path: '/', query: [['a', '1']] as const, body: '{}' }
    const { headers, canonical } = await signer.sign(place)
    const verifier = createVerifier({ secretFor: () => 's' })
    const body = new TextEncoder().encode('{}')
    const arrived = { host: 'h', target: '/?a=1', headers, body }
    expect(await verifier.verify(arrived)).toEqual({ ok: true, appKey: 'k' })
    expect((await explain({ ...place, headers })).canonical).toBe(canonical)
    expect(await compare({ ...place, headers }, canonical)).toMatchObject({ equal: true })
  })
})

describe('the entry for Workers', () => {
  const methods = {
    toHex(this: Uint8Array): string {
      return Buffer.from(this).toString('hex')
    },
    toBase64(this: Uint8Array): string {
      return Buffer.from(this).toString('base64')
    },
  }
  const names = ['toHex', 'toBase64'] as const
  const before = names.map((name) => Object.getOwnPropertyDescriptor(Uint8Array.prototype, name))
  beforeAll(() => {
    for (const name of names) {
      Object.defineProperty(Uint8Array.prototype, name, { value: methods[name], configurable: true })
    }
  })
  afterAll(() => {
    for (const [i, name] of names.entries()) {
      Reflect.deleteProperty(Uint8Array.prototype, name)
      const descriptor = before[i]
      if (descriptor) Object.defineProperty(Uint8Array.prototype, name, descriptor)
    }
  })

  it('does all of it too, with the methods that bytes have there', async () => {
    const options = { appKey: 'k', appSecret: 's', algorithm: 'HMAC-SHA256' } as const
    const place = { host: 'h', path: '/', query: [['a', '1']] as const, body: '{}' }
    const { headers, canonical } = await workerd.createSigner(options).sign(place)
    const body = new TextEncoder().encode('{}')
    const arrived = { host: 'h', target: '/?a=1', headers, body }
    for (const { createVerifier } of [workerd, native]) {
      const verifier = createVerifier({ secretFor: () => 's' })
      expect(await verifier.verify(arrived)).toEqual({ ok: true, appKey: 'k' })
    }
    expect((await workerd.explain({ ...place, headers })).canonical).toBe(canonical)
    expect(await workerd.compare({ ...place, headers }, canonical)).toMatchObject({ equal: true })
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
