/**
 * A store whose values are encrypted at rest, over any other store.
 *
 * What is compared is the text as it was sealed, so every write of another is seen, even of the same value. Keys stay
 * readable, and each value is bound to its own: a sealed text that is moved to another key does not open.
 */
import { isBrokerwireError, printable, type Store } from '@brokerwire/core'
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

/** A text that was encrypted. */
export interface SealedText {
  /** Names the key that opens it, so that keys can be replaced one after the other. Not secret. */
  readonly keyId: string
  /** Any text. */
  readonly sealed: string
}

/** Encrypts and decrypts: WebCrypto, a key service, whatever you trust. What it throws never leaves the store. */
export interface StoreCipher {
  /** @param storeKey - The key in the store: authenticate it with the text. */
  encrypt(plain: string, storeKey: string): Promise<SealedText>
  /** Rejects where the text was changed, belongs to another store key, or cannot be opened. */
  decrypt(sealed: SealedText, storeKey: string): Promise<string>
}

/** Options of {@link createEncryptedStore}. Read once. */
export interface EncryptedStoreOptions {
  /** Keeps what was sealed, and has the lock. */
  readonly store: Store
  /** Encrypts and decrypts the values: `createAesGcmCipher`, or your own. */
  readonly cipher: StoreCipher
  /**
   * Takes texts that were stored before encryption began for what they are; the next write seals them. Whoever can
   * write to the store can then put texts of their own there.
   * @defaultValue false
   */
  readonly acceptPlain?: boolean | undefined
}

const OPTIONS = {
  store: port<Store>(['get', 'compareAndSet']),
  cipher: port<StoreCipher>(['encrypt', 'decrypt']),
  acceptPlain: boolean(false),
} satisfies FieldsOf<EncryptedStoreOptions>

const FORMAT = 'brokerwire-sealed'
const VERSION = 1
/** A text that others seal anew all the time; so many in a row mean that the store does not keep its contract. */
const MAX_ATTEMPTS = 100

type Reason = StoresErrorDetails['STORE_CIPHER_FAILED']['reason']

/** States the reason and the next step. Ids and names come from stored text and from the cipher: printable and bounded. */
function cipherText(reason: Reason, keyId: string | undefined, errorName: string | undefined): string {
  const name = errorName === undefined ? '' : ` (${printable(errorName, 100)})`
  switch (reason) {
    case 'malformed':
      return 'the stored text is not as createEncryptedStore writes it: restore it, or remove it'
    case 'not sealed':
      return 'the stored text is not encrypted: set acceptPlain: true to take it, and the next write encrypts it'
    case 'not opened': {
      const key = keyId === undefined ? '' : ` with the key "${printable(keyId, 100)}"`
      return `the cipher could not open the stored text${key}${name}: give the cipher that key, or remove the text`
    }
    case 'not sealed by the cipher':
      return `the cipher could not encrypt the text${name}: see the errors of the cipher`
  }
}

function cipherFailed(reason: Reason, keyId: string | undefined, error?: unknown) {
  // The cipher's own error is not kept as the cause: it may quote what it was given.
  const errorName = error instanceof Error ? error.name : undefined
  return new StoresError('STORE_CIPHER_FAILED', cipherText(reason, keyId, errorName), {
    details: { reason, keyId, errorName },
    retryable: isBrokerwireError(error) && error.retryable,
  })
}

/** @returns `undefined` where the text was not sealed. */
function readSealed(text: string): SealedText | undefined {
  const json = parseJsonObject(text)
  if (json?.format !== FORMAT) return undefined
  const { version, keyId, sealed } = json
  if (version !== VERSION || typeof keyId !== 'string' || typeof sealed !== 'string')
    throw cipherFailed('malformed', undefined)
  return { keyId, sealed }
}

/**
 * Makes the store. It has a lock where the inner one does.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`; its calls reject with `STORE_CIPHER_FAILED`, and with what the
 * inner store rejects with.
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
  const { store, cipher, acceptPlain } = readOptions(optionFailure, given, OPTIONS)

  const open = async (text: string | undefined, key: string): Promise<string | undefined> => {
    if (text === undefined) return undefined
    const sealed = readSealed(text)
    if (sealed === undefined) {
      if (acceptPlain) return text
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
      // Awaited here: workerd reports a promise that rejects before anybody waits for it.
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
