/** Invalid options and functions. Each error has its code and field, and no secret. */
import { Secret } from '@brokerwire/core'
import {
  createInMemoryNonceStore,
  createSigner,
  createVerifier,
  isSignerError,
  type SignerError,
  type SignerOptions,
} from '@brokerwire/signer'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const SECRET = '0f50a2e853334a9aae1a783bee120c1f'
const good = { appKey: 'key', appSecret: SECRET }

function errorOf(run: () => unknown): SignerError {
  try {
    run()
  } catch (error) {
    if (isSignerError(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

async function rejectionOf(promise: Promise<unknown>): Promise<SignerError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (isSignerError(error)) return error
  throw new Error('no SignerError', { cause: error })
}

const escaped = (text: string): string => text.replace(/[^\w ]/g, '\\$&')
const expectCode = (error: SignerError, code: string, field: string): void => {
  expect(error.name).toBe('SignerError')
  expect(error.code).toBe(code)
  expect(error.details.field).toBe(field)
  expect(error.details.expected).toMatch(/\w/)
  expect(error.message).toMatch(
    new RegExp(
      `^${escaped(`${field} must be ${error.details.expected}`)}(?:; received [^.]*(?:\\.\\d+)?(?:\\. Did you mean "[\\w-]+"\\?)?)?$`,
    ),
  )
  expect(error.retryable).toBe(false)
  expect(JSON.stringify(error) + error.stack).not.toContain(SECRET)
}

describe('createSigner', () => {
  it.each<[string, object]>([
    ['appKey', { appKey: '' }],
    ['appKey', { appKey: undefined }],
    ['appKey', { appKey: 12 }],
    ['appKey', { appKey: 'key\r\nx: y' }],
    ['appKey', { appKey: 'clé' }],
    ['appSecret', { appSecret: '' }],
    ['appSecret', { appSecret: undefined }],
    ['appSecret', { appSecret: { reveal: () => 5 } }],
    ['appSecret', { appSecret: new Secret('') }],
    ['algorithm', { algorithm: 'HMAC-MD5' }],
    ['algorithm', { algorithm: 'hmac-sha1' }],
    ['streamAlgorithm', { streamAlgorithm: SECRET }],
    ['headerCollision', { headerCollision: true }],
    ['nameOrder', { nameOrder: 'locale' }],
    ['now', { now: 1_700_000_000_000 }],
    ['nonce', { nonce: 'a'.repeat(32) }],
    ['crypto.digest', { crypto: {} }],
    ['crypto', { crypto: null }],
    ['crypto.digest', { crypto: { hmac: () => () => '' } }],
    ['crypto.hmac', { crypto: { digest: () => '' } }],
  ])('rejects a wrong %s', (field, wrong) => {
    const options = { ...good, ...wrong } as SignerOptions
    expectCode(
      errorOf(() => createSigner(options)),
      'SIGNER_OPTION_INVALID',
      field,
    )
  })

  it.each([undefined, null, 5])('rejects %j instead of options', (options) => {
    expectCode(
      errorOf(() => createSigner(options as never)),
      'SIGNER_OPTION_INVALID',
      'options',
    )
    expectCode(
      errorOf(() => createVerifier(options as never)),
      'SIGNER_OPTION_INVALID',
      'options',
    )
  })

  it('reads its options once', async () => {
    const options = { ...good, now: () => 0, nonce: () => '0'.repeat(32) }
    const signer = createSigner(options)
    const before = await signer.sign({ host: 'h', path: '/' })
    Object.assign(options, { appKey: 'other', appSecret: 'other', nonce: () => 'x', now: () => Number.NaN })
    expect(await signer.sign({ host: 'h', path: '/' })).toEqual(before)
  })

  it('accepts a Secret or a string', async () => {
    const fixed = { now: () => 0, nonce: () => '0'.repeat(32) }
    const [text, wrapped] = await Promise.all(
      [SECRET, new Secret(SECRET)].map((appSecret) =>
        createSigner({ ...good, ...fixed, appSecret }).sign({ host: 'h', path: '/' }),
      ),
    )
    expect(wrapped).toEqual(text)
  })

  it.each([
    ['now()', { now: () => Number.NaN }],
    ['now()', { now: () => 8.64e15 }],
    ['now()', { now: () => -1e15 }],
    ['nonce()', { nonce: () => 'ABC' }],
    ['nonce()', { nonce: () => 'A'.repeat(32) }],
    ['nonce()', { nonce: () => 'a'.repeat(33) }],
    ['nonce()', { nonce: () => `\n${'a'.repeat(32)}` }],
    ['nonce()', { nonce: () => `${'a'.repeat(32)}\n` }],
  ])('rejects an unusable answer of %s', async (field, wrong) => {
    const signer = createSigner({ ...good, ...wrong })
    expectCode(await rejectionOf(signer.sign({ host: 'h', path: '/' })), 'SIGNER_OPTION_INVALID', field)
    expectCode(await rejectionOf(signer.signStream(new Uint8Array(1))), 'SIGNER_OPTION_INVALID', field)
  })

  it('signs requests and streams with the current time of its clock', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const signer = createSigner({ appKey: 'key', appSecret: 'secret' })
    for (const now of ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.999Z', '2031-12-31T23:59:59.500Z']) {
      vi.setSystemTime(now)
      const request = await signer.sign({ host: 'h', path: '/' })
      const stream = await signer.signStream(new Uint8Array())
      const expected = now.replace(/\.\d+/, '')
      expect(request.headers['x-timestamp']).toBe(expected)
      expect(request.canonical).toContain(`x-timestamp=${expected}`)
      expect(stream.headers['x-timestamp']).toBe(expected)
    }
  })

  it('signs with the right timestamp after the clock returned an invalid time', async () => {
    const times = [1000, Number.NaN, 1000]
    const signer = createSigner({ ...good, now: () => times.shift() ?? 0 })
    const first = await signer.sign({ host: 'h', path: '/' })
    await expect(signer.sign({ host: 'h', path: '/' })).rejects.toThrow('now()')
    const last = await signer.sign({ host: 'h', path: '/' })
    expect(last.headers['x-timestamp']).toBe(first.headers['x-timestamp'])
    expect(last.canonical).toContain('x-timestamp=1970-01-01T00:00:01Z')
  })

  it('rejects a body or request that is neither a string nor bytes', async () => {
    const signer = createSigner(good)
    const body = { length: 3 } as unknown as Uint8Array
    const error = await rejectionOf(signer.sign({ host: 'h', path: '/', body }))
    expectCode(error, 'SIGNER_INPUT_INVALID', 'body')
    expectCode(await rejectionOf(signer.signStream(body)), 'SIGNER_INPUT_INVALID', 'requestBytes')
  })

  it('does not return the secret', async () => {
    const signature = await createSigner(good).sign({ host: 'h', path: '/', body: 'x' })
    expect(JSON.stringify(signature) + signature.canonical).not.toContain(SECRET)
    expect(JSON.stringify(createSigner(good))).not.toContain(SECRET)
  })

  it('calls the given crypto, with its own this', async () => {
    class Crypto {
      readonly seen: string[] = []
      digest(algorithm: string, bytes: Uint8Array): string {
        this.seen.push(`${algorithm} ${bytes.length}`)
        return 'ab'
      }
      hmac(algorithm: string, key: Uint8Array): (message: string) => Promise<string> {
        this.seen.push(`${algorithm} ${key.length}`)
        return async (message) => `mac of ${message.length}`
      }
    }
    const crypto = new Crypto()
    const signer = createSigner({ ...good, crypto, now: () => 0 })
    const signature = await signer.sign({ host: 'h', path: '/', body: 'abc' })
    expect(signature.canonical).toMatch(/&AB$/)
    expect(signature.headers['x-signature']).toBe(`mac of ${encodeURIComponent(signature.canonical).length}`)
    expect(crypto.seen).toEqual([`SHA-1 ${SECRET.length + 1}`, `SHA-256 ${SECRET.length + 1}`, 'MD5 3'])
  })
})

describe('createVerifier', () => {
  const secretFor = (): string => SECRET

  it.each<[string, object]>([
    ['secretFor', { secretFor: SECRET }],
    ['windowMs', { windowMs: -1 }],
    ['windowMs', { windowMs: Number.NaN }],
    ['windowMs', { windowMs: 86_400_001 }],
    ['algorithms', { algorithms: [] }],
    ['algorithms', { algorithms: 'HMAC-SHA1' }],
    ['algorithms[0]', { algorithms: ['HMAC-MD5'] }],
    ['headerCollision', { headerCollision: '' }],
    ['nameOrder', { nameOrder: '' }],
    ['rejectAmbiguous', { rejectAmbiguous: 'yes' }],
    ['now', { now: 5 }],
    ['now', { now: 5, nonces: false }],
    ['nonces', { nonces: true }],
    ['nonces', { nonces: null }],
    ['windowMs', { windowMs: '300000' }],
    ['windowMs', { windowMs: null }],
    ['windowMs', { windowMs: true }],
    ['crypto.digest', { crypto: {} }],
    ['crypto', { crypto: null }],
    ['crypto.digest', { crypto: { hmac: () => () => '' } }],
    ['crypto.hmac', { crypto: { digest: () => '' } }],
  ])('rejects a wrong %s', (field, wrong) => {
    const options = { secretFor, ...wrong } as Parameters<typeof createVerifier>[0]
    expectCode(
      errorOf(() => createVerifier(options)),
      'SIGNER_OPTION_INVALID',
      field,
    )
  })
})

describe('limits of options', () => {
  it('are inclusive', () => {
    const secretFor = (): string => SECRET
    for (const windowMs of [0, 86_400_000])
      expect(() => createVerifier({ secretFor, windowMs })).not.toThrow()
    expect(() => createInMemoryNonceStore({ maxEntriesPerKey: 1, maxBytes: 1024 })).not.toThrow()
  })
})

describe('createInMemoryNonceStore', () => {
  it.each<[string, object]>([
    ['maxEntriesPerKey', { maxEntriesPerKey: 0 }],
    ['maxEntriesPerKey', { maxEntriesPerKey: 0.9 }],
    ['maxEntriesPerKey', { maxEntriesPerKey: 1.5 }],
    ['maxEntriesPerKey', { maxEntriesPerKey: 'many' }],
    ['maxEntriesPerKey', { maxEntriesPerKey: '5' }],
    ['maxBytes', { maxBytes: 1023 }],
    ['maxBytes', { maxBytes: Number.POSITIVE_INFINITY }],
    ['maxBytes', { maxBytes: '65536' }],
  ])('rejects a wrong %s', (field, wrong) => {
    expectCode(
      errorOf(() => createInMemoryNonceStore(wrong as never)),
      'SIGNER_OPTION_INVALID',
      field,
    )
  })
})
