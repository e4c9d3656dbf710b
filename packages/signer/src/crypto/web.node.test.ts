/** WebCrypto of Node: the calls to the runtime, and the error without WebCrypto. */
import { createHmac } from 'node:crypto'
import { isSignerError } from '@brokerwire/signer'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { POOL_BYTES } from '../nonce.ts'
import { randomHex, runtimeCrypto } from './web-runtime.ts'

const createHmacKey = (bytes: number[]) => (message: string) =>
  createHmac('sha256', Uint8Array.from(bytes)).update(message).digest('base64')

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('the hash functions of pages and other workers', () => {
  it('import a key once, at the first signature, as not extractable', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey')
    const hmac = runtimeCrypto().hmac('SHA-1', new Uint8Array([1]))
    expect(importKey).not.toHaveBeenCalled()
    const first = await hmac('text')
    expect(await hmac('text')).toBe(first)
    expect(importKey).toHaveBeenCalledOnce()
    const key = (await importKey.mock.results[0]?.value) as { extractable: boolean; usages: string[] }
    expect(key.extractable).toBe(false)
    expect(key.usages).toEqual(['sign'])
  })

  it('sign several messages at the same time, also one that is longer than any before', async () => {
    const hmac = runtimeCrypto().hmac('SHA-256', new Uint8Array([1]))
    const messages = ['a', 'bc', 'd'.repeat(5000), '', 'e'.repeat(5000), 'f']
    const atOnce = await Promise.all(messages.map((message) => hmac(message)))
    const key = createHmacKey([1])
    expect(atOnce).toEqual(messages.map((message) => key(message)))
  })

  it('return a pool of new random bytes at each call', () => {
    const [one, other] = [randomHex(), randomHex()]
    expect(one).toMatch(/^[\da-f]+$/)
    expect(one).toHaveLength(2 * POOL_BYTES)
    expect(new Set(one).size).toBe(16)
    expect(other).not.toBe(one)
  })

  it.each([
    ['no crypto', undefined],
    ['no crypto.subtle, as on a page without HTTPS', {}],
  ])('throw an error that names crypto.subtle if there is %s', (_what, crypto) => {
    vi.stubGlobal('crypto', crypto)
    try {
      runtimeCrypto()
    } catch (error) {
      if (!isSignerError(error, 'SIGNER_CRYPTO_UNAVAILABLE')) throw error
      expect(error.details.field).toBe('crypto.subtle')
      expect(error.details.expected).toContain('HTTPS')
      return
    }
    throw new Error('nothing was thrown')
  })

  it('throw that error if the global does not exist', () => {
    const declared = Object.getOwnPropertyDescriptor(globalThis, 'crypto') ?? {}
    Reflect.deleteProperty(globalThis, 'crypto')
    try {
      expect(() => runtimeCrypto()).toThrow('crypto.subtle must be available')
    } finally {
      Object.defineProperty(globalThis, 'crypto', declared)
    }
  })
})
