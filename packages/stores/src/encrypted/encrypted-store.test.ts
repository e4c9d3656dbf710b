/** Encryption at rest, on Node and in workerd, with the host's own AES-GCM. */
import { Secret, type Store } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import {
  createAesGcmCipher,
  createEncryptedStore,
  createMemoryStore,
  isStoresError,
  type StoreCipher,
} from '../index.ts'
import { storeContract } from '../testing/index.ts'
import { fromBase64, toBase64 } from './base64.ts'

const drawKey = (): string => toBase64(crypto.getRandomValues(new Uint8Array(32)))
const cipherOf = (...keys: readonly string[]): StoreCipher =>
  createAesGcmCipher({ keys: keys.map((key, index) => ({ id: `key ${keys.length - index}`, key })) })

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('expected a rejection')
}

/** All texts of an error. */
const readAll = (error: unknown): string =>
  `${error} ${JSON.stringify(error)} ${Object.getOwnPropertyNames(error)
    .map((name) => String(Reflect.get(error as object, name)))
    .join()}`

describe('an encrypted store fulfills the contract', () => {
  const open = async () => {
    const [store, key] = [createMemoryStore(), drawKey()]
    // Two processes, each with its own cipher.
    return {
      first: createEncryptedStore({ store, cipher: cipherOf(key) }),
      second: createEncryptedStore({ store, cipher: cipherOf(key) }),
    }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)
})

describe('an encrypted text', () => {
  test('shows no part of the text, and is different at each encryption', async () => {
    const inner = createMemoryStore()
    const store = createEncryptedStore({ store: inner, cipher: cipherOf(drawKey()) })
    const seen = new Set<string | undefined>()
    let before: string | undefined
    for (let write = 0; write < 5; write += 1) {
      expect(await store.compareAndSet('key', before, 'hunter2')).toBe(true)
      before = 'hunter2'
      const text = await inner.get('key')
      expect(text).not.toContain('hunter2')
      expect(text).not.toContain(toBase64(new TextEncoder().encode('hunter2')).slice(0, 8))
      expect(JSON.parse(text ?? '')).toMatchObject({
        format: 'brokerwire-sealed',
        version: 1,
        keyId: 'key 1',
      })
      seen.add(text)
    }
    expect(seen.size).toBe(5)
  })

  test('cannot be decrypted after it was moved to another key', async () => {
    const inner = createMemoryStore()
    const store = createEncryptedStore({ store: inner, cipher: cipherOf(drawKey()) })
    await store.compareAndSet('sandbox', undefined, 'hunter2')
    await inner.compareAndSet('production', undefined, await inner.get('sandbox'))
    const error = await rejection(store.get('production'))
    expect(isStoresError(error, 'STORE_CIPHER_FAILED') && error.details).toMatchObject({
      reason: 'not opened',
      keyId: 'key 1',
    })
    expect(await store.get('sandbox')).toBe('hunter2')
  })

  test.each([
    ['one bit of the text', (sealed: Uint8Array) => sealed.fill((sealed[20] ?? 0) ^ 1, 20, 21)],
    ['the nonce', (sealed: Uint8Array) => sealed.fill((sealed[0] ?? 0) ^ 128, 0, 1)],
    ['its end', (sealed: Uint8Array) => sealed.subarray(0, -1)],
    ['almost all', (sealed: Uint8Array) => sealed.subarray(0, 5)],
  ])('a change of %s is detected, and the store stays usable', async (_, change) => {
    const inner = createMemoryStore()
    const store = createEncryptedStore({ store: inner, cipher: cipherOf(drawKey()) })
    await store.compareAndSet('key', undefined, 'hunter2')
    const text = (await inner.get('key')) ?? ''
    const record = JSON.parse(text) as { sealed: string }
    const sealed = fromBase64(record.sealed) ?? new Uint8Array()
    await inner.compareAndSet('key', text, JSON.stringify({ ...record, sealed: toBase64(change(sealed)) }))
    for (const call of [() => store.get('key'), () => store.compareAndSet('key', 'hunter2', 'other')]) {
      const error = await rejection(call())
      expect(isStoresError(error, 'STORE_CIPHER_FAILED') && error.details.reason).toBe('not opened')
      expect(readAll(error)).not.toContain('hunter2')
    }
    expect(await store.compareAndSet('another', undefined, 'text')).toBe(true)
  })

  test.each([
    '{"format":"brokerwire-sealed","version":"1","keyId":"a","sealed":""}',
    '{"format":"brokerwire-sealed","version":1,"keyId":7,"sealed":""}',
    '{"format":"brokerwire-sealed","version":1,"keyId":"key 1"}',
  ])('a malformed record is reported: %s', async (text) => {
    const inner = createMemoryStore()
    await inner.compareAndSet('key', undefined, text)
    const store = createEncryptedStore({ store: inner, cipher: cipherOf(drawKey()), acceptPlaintext: true })
    const error = await rejection(store.get('key'))
    expect(isStoresError(error, 'STORE_CIPHER_FAILED') && error.details.reason).toBe('malformed')
  })

  test('reports a text of a newer format, and does not overwrite it', async () => {
    const text = '{"format":"brokerwire-sealed","version":2,"keyId":"a","sealed":""}'
    const inner = createMemoryStore()
    await inner.compareAndSet('key', undefined, text)
    const store = createEncryptedStore({ store: inner, cipher: cipherOf(drawKey()), acceptPlaintext: true })
    for (const call of [() => store.get('key'), () => store.compareAndSet('key', undefined, 'other')]) {
      const error = await rejection(call())
      expect(isStoresError(error, 'STORE_CIPHER_FAILED') && error.details.reason).toBe('newer format')
    }
    expect(await inner.get('key')).toBe(text)
  })

  test('texts from before the encryption are rejected, or accepted and encrypted by the next write', async () => {
    const inner = createMemoryStore()
    await inner.compareAndSet('key', undefined, '{"token":"hunter2"}')
    const cipher = cipherOf(drawKey())
    const error = await rejection(createEncryptedStore({ store: inner, cipher }).get('key'))
    expect(isStoresError(error, 'STORE_CIPHER_FAILED') && error.details.reason).toBe('not sealed')
    expect(readAll(error)).not.toContain('hunter2')
    const lenient = createEncryptedStore({ store: inner, cipher, acceptPlaintext: true })
    expect(await lenient.compareAndSet('key', '{"token":"hunter2"}', 'next')).toBe(true)
    expect(await createEncryptedStore({ store: inner, cipher }).get('key')).toBe('next')
  })
})

describe('encryption keys', () => {
  test('can be replaced one by one: the old key decrypts, the new one encrypts', async () => {
    const inner = createMemoryStore()
    const [old, fresh] = [drawKey(), drawKey()]
    const open = (cipher: StoreCipher): Store => createEncryptedStore({ store: inner, cipher })
    await open(cipherOf(old)).compareAndSet('key', undefined, 'text')
    const both = open(cipherOf(fresh, old))
    expect(await both.get('key')).toBe('text')
    expect(await both.compareAndSet('key', 'text', 'text')).toBe(true)
    expect(JSON.parse((await inner.get('key')) ?? '')).toMatchObject({ keyId: 'key 2' })
    const error = await rejection(open(cipherOf(old)).get('key'))
    expect(isStoresError(error, 'STORE_CIPHER_FAILED') && error.details).toMatchObject({ keyId: 'key 2' })
  })

  test('decrypt nothing if another key has the same id', async () => {
    const inner = createMemoryStore()
    await createEncryptedStore({ store: inner, cipher: cipherOf(drawKey()) }).compareAndSet(
      'key',
      undefined,
      'x',
    )
    const other = createEncryptedStore({ store: inner, cipher: cipherOf(drawKey()) })
    expect(isStoresError(await rejection(other.get('key')), 'STORE_CIPHER_FAILED')).toBe(true)
  })

  test('are strings or Secrets, and are never shown', async () => {
    const key = drawKey()
    const cipher = createAesGcmCipher({ keys: [{ id: 'a', key: new Secret(key) }] })
    const plain = createAesGcmCipher({ keys: [{ id: 'a', key }] })
    const sealed = await cipher.encrypt('text', 'key')
    expect(await plain.decrypt(sealed, 'key')).toBe('text')
    expect(`${JSON.stringify(cipher)} ${JSON.stringify(sealed)}`).not.toContain(key)
  })

  test.each([
    ['options', undefined],
    ['keys', { keys: [] }],
    ['keys[0]', { keys: ['a'] }],
    ['keys[0].id', { keys: [{ id: '', key: drawKey() }] }],
    ['keys[0].key', { keys: [{ id: 'a', key: 'dG9vIHNob3J0' }] }],
    ['keys[0].key', { keys: [{ id: 'a', key: '*no base64*' }] }],
    ['keys[1].id', { keys: [1, 2].map(() => ({ id: 'a', key: drawKey() })) }],
  ])('option %s is checked', (option, options) => {
    let error: unknown
    try {
      createAesGcmCipher(options as never)
    } catch (caught) {
      error = caught
    }
    expect(isStoresError(error, 'STORE_OPTION_INVALID') && error.details.option).toBe(option)
    expect(readAll(error)).not.toContain('dG9vIHNob3J0')
  })
})

describe('your own cipher', () => {
  const broken = async (message: string): Promise<never> => {
    throw new RangeError(message)
  }

  test('is named if it fails, without its message', async () => {
    const inner = createMemoryStore()
    const sealing: StoreCipher = {
      encrypt: async (plain) => ({ keyId: 'kms', sealed: plain }),
      decrypt: ({ sealed }) => broken(`cannot open ${sealed}`),
    }
    const store = createEncryptedStore({ store: inner, cipher: sealing })
    await store.compareAndSet('key', undefined, 'hunter2')
    const error = await rejection(store.get('key'))
    expect(isStoresError(error, 'STORE_CIPHER_FAILED') && error.details).toEqual({
      reason: 'not opened',
      keyId: 'kms',
      errorName: 'RangeError',
    })
    expect(readAll(error)).not.toContain('hunter2')
    expect(error).not.toHaveProperty('cause')
  })

  test.each([
    ['rejects', (plain: string) => broken(plain)],
    ['gives no text', async () => ({ keyId: 'a', sealed: new Uint8Array() }) as never],
    ['gives nothing', async () => undefined as never],
  ])('writes nothing if it %s while encrypting', async (_, encrypt) => {
    const inner = createMemoryStore()
    const cipher: StoreCipher = { encrypt, decrypt: async ({ sealed }) => sealed }
    const error = await rejection(
      createEncryptedStore({ store: inner, cipher }).compareAndSet('key', undefined, 'hunter2'),
    )
    expect(isStoresError(error, 'STORE_CIPHER_FAILED') && error.details.reason).toBe(
      'not sealed by the cipher',
    )
    expect(readAll(error)).not.toContain('hunter2')
    expect(await inner.get('key')).toBeUndefined()
  })

  test('rejects a lone surrogate, which UTF-8 cannot encode', async () => {
    const store = createEncryptedStore({ store: createMemoryStore(), cipher: cipherOf(drawKey()) })
    const error = await rejection(store.compareAndSet('key', undefined, '\ud800'))
    expect(isStoresError(error, 'STORE_CIPHER_FAILED')).toBe(true)
  })

  test.each([
    ['store', { store: undefined, cipher: cipherOf(drawKey()) }],
    ['cipher.decrypt', { store: createMemoryStore(), cipher: { encrypt: async () => '' } }],
    ['acceptPlaintext', { store: createMemoryStore(), cipher: cipherOf(drawKey()), acceptPlaintext: 'yes' }],
  ])('option %s is checked', (option, options) => {
    expect(() => createEncryptedStore(options as never)).toThrow(`${option} must be`)
  })

  test('the loss of the inner lock is reported', async () => {
    const { signal: lost } = new AbortController()
    const inner = { ...createMemoryStore(), lock: async () => ({ lost, release: async () => {} }) }
    const store = createEncryptedStore({ store: inner, cipher: cipherOf(drawKey()) })
    expect((await store.lock?.('key'))?.lost).toBe(lost)
  })

  test('a store without a lock has none when encrypted', () => {
    const { get, compareAndSet } = createMemoryStore()
    const store = createEncryptedStore({ store: { get, compareAndSet }, cipher: cipherOf(drawKey()) })
    expect(store.lock).toBeUndefined()
  })
})
