/**
 * The prepared HMAC compared with Node's, for every critical length, and in runtimes without some functions.
 */
import * as nodeBuffer from 'node:buffer'
import * as nodeCrypto from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type NativeBuffers, type NativeHashing, nativeCrypto } from './native.ts'
import { lazyMd5, randomHex } from './native-runtime.ts'
import { nobleMd5 } from './noble-md5.ts'
import { randomHex as drawInWeb, runtimeCrypto as webCrypto } from './web-runtime.ts'

const { createHash, createHmac, randomBytes } = nodeCrypto
// Node's types have no `latin1Write`, and no digest that is always a string.
const buffers = nodeBuffer as unknown as NativeBuffers
const whole = nodeCrypto as unknown as NativeHashing
const older = { createHash, randomBytes } as unknown as NativeHashing
const noLibrary = (): string => {
  throw new Error('the library was called')
}

describe.each([
  ['one-shot hashes', whole],
  ['hash objects of older runtimes', older],
])('HMAC over %s', (_name, native) => {
  const crypto = nativeCrypto(native, buffers, noLibrary)

  it('equals that of Node for keys and messages of any length', () => {
    for (const [algorithm, name] of [
      ['SHA-1', 'sha1'],
      ['SHA-256', 'sha256'],
    ] as const) {
      for (const keyLength of [1, 32, 63, 64, 65, 200]) {
        const key = new Uint8Array(randomBytes(keyLength))
        const hmac = crypto.hmac(algorithm, key)
        // First longer than the buffer, then shorter: the longer message must not affect the next one.
        for (const length of [0, 1, 55, 340, 340, 4031, 4032, 4033, 20_000, 340, 0]) {
          const message = 'x%26'.repeat(length).slice(0, length)
          expect(hmac(message)).toBe(createHmac(name, key).update(message).digest('base64'))
        }
      }
    }
  })

  it('does not mix two keys', () => {
    const [one, other] = [1, 2].map((byte) => crypto.hmac('SHA-1', new Uint8Array([byte])))
    const first = one?.('message')
    expect(other?.('message')).not.toBe(first)
    expect(one?.('message')).toBe(first)
  })

  it('has digests equal to those of Node', () => {
    const bytes = new Uint8Array(randomBytes(1000))
    expect(crypto.digest('MD5', bytes)).toBe(createHash('md5').update(bytes).digest('hex'))
    expect(crypto.digest('SHA-256', bytes)).toBe(createHash('sha256').update(bytes).digest('hex'))
  })
})

describe('a runtime that rejects MD5, as Node in FIPS mode', () => {
  const refuse = (name: string): void => {
    if (name === 'md5') throw new Error('error:0308010C:digital envelope routines::unsupported')
  }
  const strict: NativeHashing = {
    randomBytes,
    createHash: (name) => {
      refuse(name)
      return older.createHash(name)
    },
  }

  it('uses the library', () => {
    const bytes = new Uint8Array(randomBytes(333))
    const crypto = nativeCrypto(strict, buffers, nobleMd5)
    expect(crypto.digest('MD5', bytes)).toBe(createHash('md5').update(bytes).digest('hex'))
  })

  it('loads the library, and digests the bytes as they were at the call', async () => {
    const bytes = randomBytes(333)
    const digest = createHash('md5').update(bytes).digest('hex')
    const digested = nativeCrypto(strict, buffers, lazyMd5).digest('MD5', bytes)
    bytes.fill(0)
    expect(await digested).toBe(digest)
  })

  it('reports other failures', () => {
    const broken: NativeHashing = { ...strict, createHash: () => refuse('md5') as never }
    expect(() => nativeCrypto(broken, buffers, nobleMd5).digest('SHA-256', new Uint8Array())).toThrow(
      'unsupported',
    )
  })
})

describe('WebCrypto of the same machine', () => {
  it('has the same results', async () => {
    const web = webCrypto()
    const native = nativeCrypto(whole, buffers, noLibrary)
    const key = new Uint8Array(randomBytes(40))
    const bytes = new Uint8Array(randomBytes(1000))
    for (const name of ['MD5', 'SHA-256'] as const) {
      expect(await web.digest(name, bytes)).toBe(native.digest(name, bytes))
    }
    for (const name of ['SHA-1', 'SHA-256'] as const) {
      expect(await web.hmac(name, key)('text')).toBe(native.hmac(name, key)('text'))
    }
    expect(drawInWeb()).toHaveLength(randomHex().length)
  })
})
