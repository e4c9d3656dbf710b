/** The driver for Cloudflare Durable Objects: `@brokerwire/stores/durable-object`. */
export {
  createDurableObjectStore,
  type DurableNamespaceLike,
  type DurableObjectStoreOptions,
} from './durable-object-store.ts'
export { type DurableStateLike, type DurableStorageLike, StoreObject } from './store-object.ts'
