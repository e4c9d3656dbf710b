/** The README's example of encryption at rest, so that it is held to the contract. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Store } from '@brokerwire/core'

/** Values are sealed with AES-256-GCM. What is compared is the text as it was sealed, so each write is seen. */
export function encrypted(inner: Store, key: Uint8Array): Store {
  const seal = (plain: string): string => {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')
  }
  const open = (sealed: string): string => {
    const bytes = Buffer.from(sealed, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  }
  return {
    async get(name) {
      const sealed = await inner.get(name)
      return sealed === undefined ? undefined : open(sealed)
    },
    async compareAndSet(name, expected, next) {
      const sealed = await inner.get(name)
      if ((sealed === undefined ? undefined : open(sealed)) !== expected) return false
      return inner.compareAndSet(name, sealed, next === undefined ? undefined : seal(next))
    },
    ...(inner.lock === undefined ? {} : { lock: inner.lock.bind(inner) }),
  }
}
