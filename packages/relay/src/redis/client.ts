/** The calls that the sink needs from a client: node-redis or ioredis, also their clusters. */
import { isRecord, type Schema, typeName } from '@brokerwire/core/internal'
import type { IoRedisLike, NodeRedisLike } from '@brokerwire/stores/redis'
import type { RedisScript } from './scripts.ts'

export interface RedisPort {
  /** Runs a script. All keys are in one slot. */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** Sends a command to the server; `undefined` if the client is a cluster. */
  readonly send: ((args: readonly string[]) => Promise<unknown>) | undefined
}

/** Whether the server does not know the script, because it was restarted or another server took over. */
const isForgotten = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT')

async function withFallback(bySha: () => Promise<unknown>, byText: () => Promise<unknown>): Promise<unknown> {
  try {
    return await bySha()
  } catch (error) {
    if (!isForgotten(error)) throw error
    return byText()
  }
}

function nodeRedis(client: NodeRedisLike): RedisPort {
  const { sendCommand } = client as { sendCommand?: (args: readonly string[]) => Promise<unknown> }
  return {
    run({ sha, text }, keys, args) {
      const options = { keys: [...keys], arguments: [...args] }
      return withFallback(
        () => client.evalSha(sha, options),
        () => client.eval(text, options),
      )
    },
    send:
      'masters' in client || sendCommand === undefined ? undefined : (args) => sendCommand.call(client, args),
  }
}

function ioRedis(client: IoRedisLike): RedisPort {
  return {
    run: ({ sha, text }, keys, args) =>
      withFallback(
        () => client.call('EVALSHA', sha, keys.length, ...keys, ...args),
        () => client.call('EVAL', text, keys.length, ...keys, ...args),
      ),
    send: 'nodes' in client ? undefined : ([command = '', ...args]) => client.call(command, ...args),
  }
}

/** A client of node-redis or ioredis. */
export const redisPort: Schema<RedisPort> = (value, path, fail) => {
  const found: unknown = value
  if (typeof found === 'object' && found !== null) {
    if ('evalSha' in found && typeof found.evalSha === 'function') return nodeRedis(found as NodeRedisLike)
    if ('call' in found && typeof found.call === 'function') return ioRedis(found as IoRedisLike)
  }
  throw fail(
    path,
    'a connected client of node-redis or ioredis',
    isRecord(found) ? 'another object' : typeName(found),
  )
}
