/** The log lines of `brokerwire relay`. The names are stable: alerts and filters may use them. */

/** Severity of a line. */
export type Level = 'info' | 'warn' | 'error'

interface LogEvent {
  readonly level: Level
  /** The field `msg`: the meaning of the line. */
  readonly msg: string
}

/** All lines by their field `event`. */
export const LOG_EVENTS = {
  'relay.checked': { level: 'info', msg: 'the configuration and its secrets are valid' },
  'relay.migrated': { level: 'info', msg: 'the tables exist' },
  'health.serving': { level: 'info', msg: '/healthz, /readyz and /metrics are served' },
  'relay.started': { level: 'info', msg: 'the relay has joined its cluster' },
  'relay.metrics': { level: 'info', msg: 'counts of each app since the start' },
  'relay.stopping': { level: 'info', msg: 'the relay was asked to stop' },
  'relay.stopped': { level: 'info', msg: 'the relay has stopped' },
  'secret.readable': { level: 'warn', msg: 'other users can read the file of a secret' },
  'nats.unreachable': { level: 'warn', msg: 'no NATS server can be reached; the relay retries' },
  'nats.connected': { level: 'info', msg: 'the relay is connected to NATS' },
  'nats.disconnected': { level: 'warn', msg: 'the connection to NATS was lost; the relay reconnects' },
  'postgres.unreachable': {
    level: 'warn',
    msg: 'the Postgres server cannot be reached; the relay retries',
  },
  'postgres.connected': { level: 'info', msg: 'the relay is connected to Postgres' },
  'redis.unreachable': { level: 'warn', msg: 'the Redis server cannot be reached; the relay retries' },
  'redis.connected': { level: 'info', msg: 'the relay is connected to Redis' },
  'redis.setting': {
    level: 'warn',
    msg: 'with this setting, the Redis server may lose events that it has acknowledged',
  },
  'store.setting': { level: 'warn', msg: 'a setting of the store differs from the recommended one' },
  'store.failed': { level: 'warn', msg: 'a request to the store failed; it is retried' },
  'cluster.members': { level: 'info', msg: 'the members of the cluster have changed' },
  'cluster.membership-lost': {
    level: 'warn',
    msg: 'the relay could not renew its membership; it keeps its events and joins again',
  },
  'app.acquired': { level: 'info', msg: 'the relay has acquired the app' },
  'app.takeover': { level: 'info', msg: 'the relay has become the writer of the stream' },
  'app.waiting': {
    level: 'warn',
    msg: 'the sink of the app accepts no writes; the relay keeps the events and retries',
  },
  'app.draining': { level: 'info', msg: 'the relay is closing the subscriptions of the app' },
  'app.released': { level: 'info', msg: 'the relay has released the app' },
  'app.fenced': { level: 'info', msg: 'another relay has become the writer of the stream' },
  'app.failed': { level: 'error', msg: 'the app failed; it is started again' },
  'subscription.waiting': {
    level: 'warn',
    msg: 'the service may still count ended connections; the subscriptions are opened after waitMs',
  },
  'subscription.opening': { level: 'info', msg: 'the subscription is opened' },
  'subscription.closed': { level: 'info', msg: 'the subscription is closed' },
  'subscription.failed': { level: 'warn', msg: 'the subscription ended with an error; it is opened again' },
  'stream.subscribed': { level: 'info', msg: 'the subscription is live' },
  'stream.reconnecting': {
    level: 'warn',
    msg: 'a connection or an attempt failed; the subscription is opened again',
  },
  'stream.resumed': { level: 'info', msg: 'the subscription continues; no event was missed' },
  'stream.gap': { level: 'warn', msg: 'events between the bounds may be missing' },
  'stream.heartbeat-late': { level: 'info', msg: 'no frame arrived for longer than usual' },
  'stream.missed-events': { level: 'info', msg: 'a backfill found events that the stream did not deliver' },
  'stream.duplicate-conflict': { level: 'info', msg: 'two events have the same id and different payloads' },
  'stream.id-too-long': { level: 'info', msg: 'an event has an id that is too long to be stored' },
  'stream.backfill-incomplete': { level: 'warn', msg: 'a backfill could not cover everything' },
  'stream.ack-backlog-full': { level: 'info', msg: 'reading is paused until events are committed' },
  'stream.cursor-write-failed': { level: 'info', msg: 'a cursor could not be written; the write is retried' },
  'stream.access-token-missing': { level: 'info', msg: 'the subscription is sent without an access token' },
  'event.oversized': {
    level: 'warn',
    msg: 'an event is longer than the sink accepts; the stream has it without its payload',
  },
  'sink.writing': { level: 'info', msg: 'the sink accepts writes' },
  'sink.waiting': { level: 'warn', msg: 'the sink accepts no writes; the relay retries' },
  'sink.paused': { level: 'warn', msg: 'reading is paused, because bufferBytes wait to be stored' },
  'sink.resumed': { level: 'info', msg: 'reading is resumed' },
  'webhook.dead-letter': {
    level: 'error',
    msg: 'the receiver did not accept events in time; they are in the file of dead letters',
  },
  'webhook.secret-failed': {
    level: 'warn',
    msg: 'the secret of the webhooks could not be read again; the last one is used',
  },
  'token.usable': { level: 'info', msg: 'the access token can be used' },
  'token.missing': { level: 'warn', msg: 'the store has no access token' },
  'token.awaits-confirmation': {
    level: 'warn',
    msg: 'a person must confirm the access token in the app of the broker',
  },
  'token.needs-person': { level: 'warn', msg: 'the access token has ended; a person must create a new one' },
  'token.failed': { level: 'warn', msg: 'the service or the store failed; the request is retried' },
} as const satisfies Readonly<Record<string, LogEvent>>

/** Names of the lines. */
export type LogEventName = keyof typeof LOG_EVENTS
