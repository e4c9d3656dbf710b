/** Stores: one port with compare-and-set. Drivers that need a host stand under their own entry points. */
export { type CopiedStore, type CopyStoreOptions, copyStore, type ListedStore } from './copy-store.ts'
export { type AesGcmCipherOptions, type AesGcmKey, createAesGcmCipher } from './encrypted/aes-gcm.ts'
export {
  createEncryptedStore,
  type EncryptedStoreOptions,
  type SealedText,
  type StoreCipher,
} from './encrypted/encrypted-store.ts'
export { createMemoryStore } from './memory-store.ts'
export {
  isStoresError,
  StoresError,
  type StoresErrorCode,
  type StoresErrorDetails,
} from './stores-error.ts'
