/** The connection to Redis. Loaded only if the configuration uses Redis. */
import { escapeControlChars, type Secret, systemClock } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import type { RelaySinkConfig } from '@brokerwire/relay'
import type { RedisSinkOptions } from '@brokerwire/relay/redis'
import { createClient } from 'redis'
import { optionError } from '../cli-error.ts'
import type { GuardedIo } from '../io.ts'
import type { RelayLog } from './log.ts'
import type { ReadSecret } from './read-secret.ts'
import { retryForever } from './retry-forever.ts'
import { parseServerUrl } from './server-url.ts'

/** Configuration of Redis. */
export type RedisConfig = Extract<RelaySinkConfig, { readonly type: 'redis' }>

/** Time limit of one attempt to connect. */
const CONNECT_MS = 5000
/**
 * After this time without a response, the connection is replaced. It is longer than the time limit of a call of the
 * sink, so that the sink reports the reason.
 */
const RESPONSE_MS = 6000
/** Interval of pings, so that an idle connection is not closed after {@link RESPONSE_MS}. */
const PING_MS = 2000
const FIRST_RECONNECT_MS = 50
const MAX_RECONNECT_MS = 2000
/** Codes of a user, a password or a database that the server rejects. */
const REJECTED = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR DB index)/

type Client = ReturnType<typeof createClient>

/** The address of a server. */
interface Target {
  readonly url: string
  /** Host and port, without secrets. */
  readonly server: string
  /** Name of the connection in `CLIENT LIST`. */
  readonly name: string
}

/** A connection for the sinks of all apps. */
export interface RedisConnection {
  readonly client: RedisSinkOptions['client']
  /** Closes the connection. Does not wait for a server that does not respond. */
  close(): void
}

/**
 * Reads the URL. The password is removed from all log lines.
 *
 * @throws CliError `CLI_OPTION_INVALID` if it is invalid; RelayError if it cannot be read.
 */
export async function readTarget(
  { url: ref }: RedisConfig,
  cluster: string,
  readSecret: ReadSecret,
  keepSecret: (secret: string) => void,
): Promise<Target> {
  const secret: Secret = await readSecret('sink.url', ref)
  const text = secret.reveal()
  const parsed = parseServerUrl(text, { schemes: ['redis:', 'rediss:'], port: 6379, keepSecret })
  if (parsed === undefined || !/^(?:\/\d*)?$/.test(parsed.url.pathname))
    throw optionError(
      'sink.url',
      'must be a URL such as redis://USER:PASSWORD@HOST:6379 or rediss://HOST:6379/0',
    )
  return { url: text, server: parsed.server, name: `brokerwire-relay-${cluster}` }
}

/** Creates a client. After its first connection, or always if `retries` is true, it reconnects without a limit. */
function newClient({ url, name }: Target, retries: boolean): Client {
  let reconnects = retries
  const client: Client = createClient({
    url,
    name,
    // The sink retries. Commands that wait in the client would be sent after their time limit.
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: RESPONSE_MS,
      reconnectStrategy: (failures) =>
        reconnects && Math.min(MAX_RECONNECT_MS, FIRST_RECONNECT_MS * 2 ** Math.min(failures, 10)),
    },
  })
  // Without a listener, a connection that breaks would end the process.
  client.on('error', () => {})
  client.on('ready', () => {
    reconnects = true
  })
  return client
}

/**
 * Connects, without a time limit.
 *
 * @throws CliError `CLI_OPTION_INVALID` if the server rejects the user or the database; the signal's reason.
 */
export async function openConnection(
  target: Target,
  log: RelayLog,
  { signal }: Pick<GuardedIo, 'signal'>,
): Promise<RedisConnection> {
  const { server } = target
  const attempt = async (): Promise<{ client: Client; version: string | undefined }> => {
    const client = newClient(target, false)
    try {
      await client.connect()
      const info = await client.info('server')
      return { client, version: /^redis_version:(\S+)/m.exec(info)?.[1] }
    } catch (error) {
      destroy(client)
      throw error
    }
  }
  const { client, version } = await retryForever(attempt, {
    clock: systemClock,
    signal,
    throwIfPermanent(error) {
      const code = REJECTED.exec(error instanceof Error ? error.message : '')?.[0]
      if (code !== undefined)
        throw optionError(
          'sink.url',
          `must have a user, a password and a database that the server accepts; received ${code}`,
        )
    },
    onFailure: (error, waitedMs) =>
      log.write('redis.unreachable', { server, reason: reasonOf(error), waitedMs }),
  })
  log.write('redis.connected', { server, version })
  return replaceHanging(client, () => newClient(target, true))
}

/** Replaces a client that gets no response. Its socket would otherwise stay open while new commands are written. */
function replaceHanging(first: Client, create: () => Client): RedisConnection {
  let client = first
  let isClosed = false
  const call = (request: (client: Client) => Promise<unknown>): Promise<unknown> => {
    const used = client
    const replace = (): void => {
      if (isClosed || client !== used) return
      client = create()
      client.connect().catch(() => {})
      destroy(used)
    }
    return withTimeout(systemClock, RESPONSE_MS, undefined, () => request(used), replace)
  }
  return {
    client: {
      eval: (script, options) => call((current) => current.eval(script, options)),
      evalSha: (sha, options) => call((current) => current.evalSha(sha, options)),
      sendCommand: (args: readonly string[]) => call((current) => current.sendCommand(args)),
    } as RedisSinkOptions['client'],
    close() {
      isClosed = true
      destroy(client)
    },
  }
}

/** Closes a client, whose commands then fail. */
function destroy(client: Client): void {
  try {
    client.destroy()
  } catch {
    // It is closed already.
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an error'
  const { code } = error as Error & { readonly code?: unknown }
  // The message of an error with several causes is empty.
  return escapeControlChars(error.message || String(code ?? error.name), 200)
}
