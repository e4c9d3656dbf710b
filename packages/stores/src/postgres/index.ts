/** A store in Postgres: `@brokerwire/stores/postgres`. */
export type { SharedStore, SharedStoreOptions } from '../shared/shared-store.ts'
export {
  createPostgresStore,
  type MigratePostgresOptions,
  migratePostgres,
  type PostgresClientLike,
  type PostgresStoreOptions,
} from './postgres-store.ts'
export { type PostgresMigrationOptions, postgresMigration } from './schema.ts'
