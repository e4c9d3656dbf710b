/** The file driver, for Node: `@brokerwire/stores/file`. */
export { createFileStore, type FileStoreOptions } from './file-store.ts'
export { makePrivateDirectory } from './make-directory.ts'
