/** Errors of a Redis server, with the command that corrects each wrong setting. */
import { escapeControlChars } from '@brokerwire/core'
import { isRelayError, type RelayError } from '../relay-error.ts'
import { sinkMisconfigured, sinkUnavailable } from '../sink/sink-errors.ts'
import type { RedisPort } from './client.ts'

/** A setting with which a server may lose acknowledged messages. */
export interface RedisSinkWarning {
  /** Name of the setting in `redis.conf`. */
  readonly setting: string
  readonly expected: string
  readonly received: string
  /** The command that changes the setting until the next start of the server. */
  readonly command: string
}

/** Creates the error of a stream that another program writes. @param received - The id or the type that was found. */
export function foreignStream(stream: string, received: string): RelayError {
  const text = `stream ${stream} must be written by relays only; received ${received}. Move it away`
  const command = `redis-cli RENAME ${stream} ${stream}:other`
  return sinkMisconfigured(stream, text, {
    setting: 'stream',
    expected: 'messages of a relay',
    received,
    command,
  })
}

const DISK_FULL = 'the server cannot write to its disk (MISCONF). Free space on it, then run redis-cli BGSAVE'

/** The commands of the sink and its scripts. A client also pings. */
const COMMANDS =
  '+eval +evalsha +info +ping +time +exists +del +hset +hmget +hgetall +xadd +xrange +xrevrange +xtrim'

/** The error of a missing right. Scripts report missing rights of their user without the code. */
const NO_RIGHT = /^NOPERM|user executing the script can't|ACL failure in script/

/** Converts an error of the client. */
export function toRelayError(stream: string, error: unknown): RelayError {
  if (isRelayError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  const misconfigured = (
    text: string,
    setting: string,
    expected: string,
    received: string,
    command?: string,
  ) => sinkMisconfigured(stream, text, { setting, expected, received, command }, error)
  if (/\bOOM\b/.test(message))
    return misconfigured(
      `server of ${stream} must have memory for more messages; it has reached maxmemory. Raise it, or set a retention`,
      'maxmemory',
      'more memory',
      'a full server',
      'redis-cli CONFIG SET maxmemory BYTES',
    )
  if (/\bWRONGTYPE\b/.test(message)) return foreignStream(stream, 'a key of another type')
  if (/\bXADD\b.*smaller/.test(message)) return foreignStream(stream, 'a greater id')
  const [rejected] = /^(?:NOAUTH|WRONGPASS)/.exec(message) ?? []
  if (rejected !== undefined)
    return misconfigured(
      `client of ${stream} must have the user and the password of the server; received ${rejected}. Correct them.`,
      'credentials',
      'a user and its password',
      rejected,
    )
  if (NO_RIGHT.test(message)) {
    // A user of all keys must not get these keys too: the server rejects that.
    const rules = /\bkeys?\b/.test(message) ? `'~${stream}' '~{${stream}}:*'` : COMMANDS
    return misconfigured(
      `user of ${stream} must have access to its keys and to the commands; received NOPERM`,
      'access',
      'a user with access to the keys and the commands',
      'NOPERM',
      `redis-cli ACL SETUSER USER ${rules}`,
    )
  }
  if (/\bREADONLY\b/.test(message))
    return sinkUnavailable(stream, 'the server is a read-only replica; connect to the primary', error)
  if (/\bMISCONF\b/.test(message)) return sinkUnavailable(stream, DISK_FULL, error)
  if (message.startsWith('MOVED '))
    return misconfigured(
      `client of ${stream} must be a client of a cluster; received MOVED. Create it with createCluster() of node-redis or with Cluster of ioredis.`,
      'client',
      'a client of a cluster',
      'MOVED',
    )
  return sinkUnavailable(stream, escapeControlChars(message === '' ? 'no response' : message, 200), error)
}

/**
 * Checks the settings of a server. A setting that the user may not read is not checked.
 *
 * @returns The warnings.
 * @throws RelayError `RELAY_SINK_MISCONFIGURED` if the server may delete messages.
 */
export async function checkServer(stream: string, { send }: RedisPort): Promise<readonly RedisSinkWarning[]> {
  if (send === undefined) return []
  const read = async (...args: string[]): Promise<unknown> => {
    try {
      return await send(args)
    } catch (error) {
      if (error instanceof Error && /^(NOPERM|ERR)/.test(error.message)) return ''
      throw error
    }
  }
  const memory = String(await read('INFO', 'memory'))
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  const hasLimit = /^maxmemory:[1-9]/m.test(memory)
  if (hasLimit && policy !== undefined && policy !== 'noeviction') {
    const text = `maxmemory-policy of the server of ${stream} must be noeviction; received ${policy}. It deletes streams`
    const command = 'redis-cli CONFIG SET maxmemory-policy noeviction'
    const mismatch = { setting: 'maxmemory-policy', expected: 'noeviction', received: policy, command }
    throw sinkMisconfigured(stream, text, mismatch)
  }
  const persistence = String(await read('INFO', 'persistence'))
  if (!/^aof_enabled:0/m.test(persistence)) return []
  const command = 'redis-cli CONFIG SET appendonly yes'
  return [{ setting: 'appendonly', expected: 'yes', received: 'no', command }]
}
