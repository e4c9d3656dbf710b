/** Stores: one port with compare-and-set. Drivers that need a host stand under their own entry points. */
export { createMemoryStore } from './memory-store.ts'
export {
  isStoresError,
  StoresError,
  type StoresErrorCode,
  type StoresErrorDetails,
} from './stores-error.ts'
