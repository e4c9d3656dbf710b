/** The connection to NATS, and the bucket beside the streams. Loaded only where a configuration names NATS. */
import { printable, sleep, systemClock } from '@brokerwire/core'
import { type RelayConfig, RelayError, type RelaySinkConfig, readSecretPlace } from '@brokerwire/relay'
import type { StreamLimits } from '@brokerwire/relay/nats'
import { Kvm } from '@nats-io/kv'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { optionError } from '../cli-error.ts'
import type { GuardedIo } from '../io.ts'
import type { RelayLog } from './log.ts'

/** The part of a configuration that is about NATS. */
export type JetStreamConfig = Extract<RelaySinkConfig, { readonly type: 'jetstream' }>

const FIRST_RETRY_MS = 200
const MAX_RETRY_MS = 5000
const REFUSED = new Set(['AuthorizationError', 'UserAuthenticationExpiredError'])

/** Connects, as long as it takes. @throws CliError `CLI_OPTION_INVALID` where the servers refuse the credentials. */
export async function openConnection(
  sink: JetStreamConfig,
  name: string,
  log: RelayLog,
  { env, signal }: Pick<GuardedIo, 'env' | 'signal'>,
): Promise<NatsConnection> {
  const { servers, credentials } = sink
  const text = credentials && (await readSecretPlace('sink.credentials', credentials, env)).reveal()
  if (text !== undefined) log.keepSecret(text)
  for (let failures = 0; ; failures += 1) {
    try {
      const connection = await connect({
        servers: [...servers],
        name,
        maxReconnectAttempts: -1,
        ...(text === undefined ? {} : { authenticator: credsAuthenticator(new TextEncoder().encode(text)) }),
        ...(servers.some((server) => server.startsWith('tls:')) ? { tls: {} } : {}),
      })
      log.say('info', 'nats.connected', { server: connection.getServer(), version: connection.info?.version })
      void follow(connection, log)
      return connection
    } catch (error) {
      const name = error instanceof Error ? error.name : ''
      if (REFUSED.has(name))
        throw optionError('sink.credentials', `credentials that the servers take: ${name}`)
      const reason = printable(error instanceof Error ? error.message : String(error), 200)
      if (failures === 0) log.say('warn', 'nats.unreachable', { servers, reason })
      await sleep(systemClock, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures), signal)
    }
  }
}

async function follow(connection: NatsConnection, log: RelayLog): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') log.say('warn', 'nats.disconnected', { server: status.server })
    if (status.type === 'reconnect') log.say('info', 'nats.connected', { server: status.server })
  }
}

/**
 * The bucket of the store.
 *
 * @throws RelayError `RELAY_SINK_UNFIT` where it is missing and is not to be made.
 */
export async function openBucket(
  connection: NatsConnection,
  bucket: string,
  replicas: number,
  mayCreate: boolean,
) {
  const kvm = new Kvm(connection)
  const found = await kvm.open(bucket)
  const isThere = await found.status().then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
  if (isThere) return found
  if (mayCreate) return kvm.create(bucket, { replicas, history: 1 })
  const text = `the bucket ${bucket} is missing: make it with brokerwire relay --create-stream`
  const details = { stream: bucket, setting: 'bucket', expected: 'a bucket of this name', received: 'none' }
  throw new RelayError('RELAY_SINK_UNFIT', text, {
    details: { ...details, command: 'brokerwire relay --create-stream' },
  })
}

const NO_STREAM = 10059

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === NO_STREAM
}

/** @returns The limits of streams that are made; `undefined`: none is made. */
export function limitsOf(config: RelayConfig, mayCreate: boolean): StreamLimits | undefined {
  const { sink } = config
  if (sink.type !== 'jetstream') return undefined
  return sink.createStreams ?? (mayCreate ? {} : undefined)
}
