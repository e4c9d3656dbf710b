/** The connection to NATS, and the bucket of the store. Loaded only if the configuration uses NATS. */
import { escapeControlChars, systemClock } from '@brokerwire/core'
import { type RelayConfig, RelayError, type RelaySinkConfig } from '@brokerwire/relay'
import type { StreamLimits } from '@brokerwire/relay/nats'
import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { optionError } from '../cli-error.ts'
import type { GuardedIo } from '../io.ts'
import { nameConfigFile } from './config-file-name.ts'
import type { RelayLog } from './log.ts'
import type { ReadSecret } from './read-secret.ts'
import { retryForever } from './retry-forever.ts'

/** Configuration of NATS. */
export type JetStreamConfig = Extract<RelaySinkConfig, { readonly type: 'jetstream' }>

/** Names of errors of rejected credentials. */
const REJECTED = new Set(['AuthorizationError', 'UserAuthenticationExpiredError'])
/** Time limit of one attempt. Stopping the command waits for the end of the attempt. */
const ATTEMPT_MS = 5000

type Authenticator = ReturnType<typeof credsAuthenticator>

/**
 * Reads the credentials of a configuration. Returns `undefined` if the configuration has no credentials.
 *
 * @param readSecret - Checks the permissions of files, and removes their content from all log lines.
 * @throws CliError `CLI_OPTION_INVALID` if they are invalid; RelayError if they cannot be read.
 */
export async function readCredentials(
  { credentials }: JetStreamConfig,
  readSecret: ReadSecret,
  keepSecret: (secret: string) => void,
): Promise<Authenticator | undefined> {
  if (credentials === undefined) return undefined
  const secret = await readSecret('sink.credentials', credentials)
  // The NATS client requires the final line break, which `readSecret` has removed.
  const text = `${secret.reveal().replaceAll('\r\n', '\n')}\n`
  // Each line is registered as a secret, because errors may quote a single line.
  for (const line of text.split('\n')) if (/^\s*[\w.-]{40,}\s*$/.test(line)) keepSecret(line.trim())
  const authenticator = credsAuthenticator(new TextEncoder().encode(text))
  try {
    authenticator('a nonce')
  } catch {
    throw optionError('sink.credentials', 'must be the text of a .creds file of NATS, with a JWT and a seed')
  }
  return authenticator
}

/**
 * Connects, without a time limit.
 *
 * @throws CliError `CLI_OPTION_INVALID` if the servers reject the credentials; the signal's reason.
 */
export async function openConnection(
  sink: JetStreamConfig,
  name: string,
  authenticator: Authenticator | undefined,
  log: RelayLog,
  { signal }: Pick<GuardedIo, 'signal'>,
): Promise<NatsConnection> {
  const { servers } = sink
  const attempt = (): Promise<NatsConnection> =>
    connect({
      servers: [...servers],
      name,
      timeout: ATTEMPT_MS,
      maxReconnectAttempts: -1,
      ...(authenticator === undefined ? {} : { authenticator }),
      ...(servers.some((server) => server.startsWith('tls:')) ? { tls: {} } : {}),
    })
  const connection = await retryForever(attempt, {
    clock: systemClock,
    signal,
    throwIfPermanent(error) {
      const name = error instanceof Error ? error.name : ''
      if (REJECTED.has(name))
        throw optionError('sink.credentials', `must be credentials that the servers accept: ${name}`)
    },
    onFailure(error, waitedMs) {
      const reason = escapeControlChars(error instanceof Error ? error.message : String(error), 200)
      log.write('nats.unreachable', { servers, reason, waitedMs })
    },
  })
  log.write('nats.connected', { server: connection.getServer(), version: connection.info?.version })
  void logStatus(connection, log)
  return connection
}

async function logStatus(connection: NatsConnection, log: RelayLog): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') log.write('nats.disconnected', { server: status.server })
    if (status.type === 'reconnect') log.write('nats.connected', { server: status.server })
  }
}

/**
 * Opens the bucket of the store, in the JetStream domain of the streams.
 *
 * @throws RelayError `RELAY_SINK_MISCONFIGURED` if it is missing and must not be created.
 */
export async function openBucket(
  connection: NatsConnection,
  {
    bucket,
    domain,
    replicas,
    mayCreate,
    configFile,
  }: {
    readonly bucket: string
    readonly domain: string | undefined
    readonly replicas: number
    readonly mayCreate: boolean
    /** The configuration file, for the command that creates the bucket. */
    readonly configFile: string
  },
) {
  const kvm = new Kvm(jetstream(connection, domain === undefined ? {} : { domain }))
  const found = await kvm.open(bucket)
  const exists = await found.status().then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
  if (exists) return found
  if (mayCreate) return kvm.create(bucket, { replicas, history: 1 })
  const command = nameConfigFile('brokerwire relay --config FILE --create-stream', configFile)
  const details = { stream: bucket, setting: 'bucket', expected: 'a bucket of this name', received: 'none' }
  throw new RelayError(
    'RELAY_SINK_MISCONFIGURED',
    `bucket ${bucket} must exist; received none. Create it with ${command}`,
    {
      details: { ...details, command },
    },
  )
}

const NO_STREAM = 10059

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === NO_STREAM
}

/** Returns the limits of new streams; `undefined` if no stream may be created. */
export function getStreamLimits(config: RelayConfig, mayCreate: boolean): StreamLimits | undefined {
  const { sink } = config
  if (sink.type !== 'jetstream') return undefined
  return sink.createStreams ?? (mayCreate ? {} : undefined)
}
