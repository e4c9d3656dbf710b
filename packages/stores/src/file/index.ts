/** The file driver, for Node: `@brokerwire/stores/file`. */

export { createPrivateDirectory } from './create-directory.ts'
export { createFileStore, type FileStoreOptions } from './file-store.ts'
