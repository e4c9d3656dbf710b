/**
 * A store that encrypts its values, over any other store.
 *
 * The encrypted texts are compared, so a write by another process is detected even if the value is the same. Keys
 * are not encrypted. Each value is bound to its key: an encrypted text that is moved to another key cannot be
 * decrypted.
 */
import { escapeControlChars, isBrokerwireError, type Store } from '@brokerwire/core'
import {
  boolean,
  type FieldsOf,
  isRecord,
  parseJsonObject,
  port,
  readOptions,
} from '@brokerwire/core/internal'
import { checkKey, checkValue } from '../checks.ts'
import { optionFailure, StoresError, type StoresErrorDetails } from '../stores-error.ts'

/** An encrypted text. */
export interface SealedText {
  /** The id of the key that decrypts it, so that keys can be replaced one by one. Not secret. */
  readonly keyId: string
  /** The encrypted text in any encoding. */
  readonly sealed: string
}

/**
 * Encrypts and decrypts: WebCrypto, a key service, or your own code. Its errors are never passed to the
 * caller of the store.
 */
export interface StoreCipher {
  /** @param storeKey - The key in the store. Authenticate it together with the text. */
  encrypt(plain: string, storeKey: string): Promise<SealedText>
  /** Rejects if the text was changed, belongs to another store key, or cannot be decrypted. */
  decrypt(sealed: SealedText, storeKey: string): Promise<string>
}

/** Options of {@link createEncryptedStore}. Read once. */
export interface EncryptedStoreOptions {
  /** The store that keeps the encrypted texts. It also provides the lock. */
  readonly store: Store
  /** Encrypts and decrypts the values: `createAesGcmCipher`, or your own. */
  readonly cipher: StoreCipher
  /**
   * Whether to accept texts that were stored without encryption; the next write encrypts them. Anyone who can write
   * to the store can then insert their own texts.
   * @defaultValue false
   */
  readonly acceptPlaintext?: boolean | undefined
}

const OPTIONS = {
  store: port<Store>(['get', 'compareAndSet']),
  cipher: port<StoreCipher>(['encrypt', 'decrypt']),
  acceptPlaintext: boolean(false),
} satisfies FieldsOf<EncryptedStoreOptions>

const FORMAT = 'brokerwire-sealed'
const VERSION = 1
/** Number of failed compare-and-set calls in a row after which the store is assumed to break its contract. */
const MAX_ATTEMPTS = 100

type Reason = StoresErrorDetails['STORE_CIPHER_FAILED']['reason']

/**
 * Returns the message of an error: the reason and the next step. Ids and names come from stored texts and
 * from the cipher, so they are escaped and shortened.
 */
function cipherText(reason: Reason, keyId: string | undefined, errorName: string | undefined): string {
  const name = errorName === undefined ? '' : ` (${escapeControlChars(errorName, 100)})`
  switch (reason) {
    case 'malformed':
      return 'the stored text was not written by createEncryptedStore. Restore it, or delete it'
    case 'newer format':
      return 'the stored text was encrypted by a newer version. Update @brokerwire/stores'
    case 'not sealed':
      return 'the stored text is not encrypted. Set acceptPlaintext: true to accept it; the next write encrypts it'
    case 'not opened': {
      const key = keyId === undefined ? '' : ` with the key "${escapeControlChars(keyId, 100)}"`
      return `the cipher could not decrypt the stored text${key}${name}. Give the cipher that key, or delete the text`
    }
    case 'not sealed by the cipher':
      return `the cipher could not encrypt the text${name}. See the errors of the cipher`
  }
}

function cipherFailed(reason: Reason, keyId: string | undefined, error?: unknown) {
  // The cipher's error is not kept as `cause`, because it may quote the text.
  const errorName = error instanceof Error ? error.name : undefined
  return new StoresError('STORE_CIPHER_FAILED', cipherText(reason, keyId, errorName), {
    details: { reason, keyId, errorName },
    retryable: isBrokerwireError(error) && error.retryable,
  })
}

/** @returns The encrypted text with its key id; `undefined` if the text is not encrypted. */
function parseSealed(text: string): SealedText | undefined {
  const json = parseJsonObject(text)
  if (json?.format !== FORMAT) return undefined
  const { version, keyId, sealed } = json
  if (typeof version === 'number' && version > VERSION) throw cipherFailed('newer format', undefined)
  if (version !== VERSION || typeof keyId !== 'string' || typeof sealed !== 'string')
    throw cipherFailed('malformed', undefined)
  return { keyId, sealed }
}

/**
 * Creates the store. It has a lock if the inner store has one.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`. Its calls reject with `STORE_CIPHER_FAILED` or the errors of
 * the inner store.
 *
 * @example
 * ```ts
 * import { createAesGcmCipher, createEncryptedStore, createMemoryStore } from '@brokerwire/stores'
 *
 * declare const key: string
 *
 * const cipher = createAesGcmCipher({ keys: [{ id: 'first', key }] })
 * const store = createEncryptedStore({ store: createMemoryStore(), cipher })
 * await store.compareAndSet('greeting', undefined, 'hello')
 * ```
 */
export function createEncryptedStore(given: EncryptedStoreOptions): Store {
  const { store, cipher, acceptPlaintext } = readOptions(optionFailure, given, OPTIONS)

  const open = async (text: string | undefined, key: string): Promise<string | undefined> => {
    if (text === undefined) return undefined
    const sealed = parseSealed(text)
    if (sealed === undefined) {
      if (acceptPlaintext) return text
      throw cipherFailed('not sealed', undefined)
    }
    let plain: unknown
    try {
      plain = await cipher.decrypt(sealed, key)
    } catch (error) {
      throw cipherFailed('not opened', sealed.keyId, error)
    }
    if (typeof plain !== 'string') throw cipherFailed('not opened', sealed.keyId)
    return plain
  }
  const seal = async (plain: string | undefined, key: string): Promise<string | undefined> => {
    if (plain === undefined) return undefined
    let made: unknown
    try {
      made = await cipher.encrypt(plain, key)
    } catch (error) {
      throw cipherFailed('not sealed by the cipher', undefined, error)
    }
    if (!isRecord(made) || typeof made.keyId !== 'string' || typeof made.sealed !== 'string')
      throw cipherFailed('not sealed by the cipher', undefined)
    return JSON.stringify({ format: FORMAT, version: VERSION, keyId: made.keyId, sealed: made.sealed })
  }

  const { lock } = store
  return {
    async get(key) {
      // The result is awaited here, because workerd reports a rejection as unhandled if it happens before the
      // first `await`.
      return await open(await store.get(checkKey(key)), key)
    },
    async compareAndSet(key, expected, next) {
      checkKey(key)
      checkValue('expected', expected)
      checkValue('next', next)
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const text = await store.get(key)
        if ((await open(text, key)) !== expected) return false
        if (await store.compareAndSet(key, text, await seal(next, key))) return true
      }
      return false
    },
    ...(lock === undefined ? {} : { lock: lock.bind(store) }),
  }
}
