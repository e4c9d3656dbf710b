/** The hash functions of Workers, with the methods of `Uint8Array` there. */
import { createSigner, createVerifier } from '@brokerwire/signer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POOL_BYTES } from '../nonce.ts'
import { randomHex, runtimeCrypto } from './workerd-runtime.ts'

describe('the hash functions of Workers', () => {
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

  it('sign and verify as the native ones do', async () => {
    const own = runtimeCrypto()
    const options = { appKey: 'k', appSecret: 's', algorithm: 'HMAC-SHA256', crypto: own } as const
    const { headers } = await createSigner(options).sign({ host: 'h', path: '/', body: '{}' })
    const body = new TextEncoder().encode('{}')
    for (const crypto of [own, undefined]) {
      const verifier = createVerifier({ secretFor: () => 's', crypto })
      const result = await verifier.verify({ host: 'h', target: '/', headers, body })
      expect(result).toEqual({ ok: true, appKey: 'k' })
    }
  })

  it('return a pool of new random bytes at each call', () => {
    const [one, other] = [randomHex(), randomHex()]
    expect(one).toMatch(/^[\da-f]+$/)
    expect(one).toHaveLength(2 * POOL_BYTES)
    expect(other).not.toBe(one)
  })
})
