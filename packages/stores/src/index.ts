/** Stores: one interface with compare-and-set. Drivers for particular hosts have their own entry points. */
export { type CopyResult, type CopyStoreOptions, copyStore, type ListableStore } from './copy-store.ts'
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
