/** The entry point `@brokerwire/relay/postgres`: a sink that writes to a table of Postgres. */

export type { PostgresClientLike } from '@brokerwire/stores/postgres'
export type { SinkState } from '../sink/event-sink.ts'
export {
  type MigratePostgresSinkOptions,
  migratePostgresSink,
  type PostgresSinkMigration,
  type PostgresSinkMigrationOptions,
  postgresSinkMigration,
} from './migrate.ts'
export { createPostgresSink } from './postgres-sink.ts'
export type { PostgresSinkOptions } from './postgres-sink-options.ts'
export type { PostgresRetention } from './retention.ts'
