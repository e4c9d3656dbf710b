/** Adapters for the Redis clients node-redis and ioredis, and for their clusters. */
import { type Schema, typeName } from '@brokerwire/core/internal'
import { stringProperty } from '../shared/failures.ts'
import type { SharedCall } from '../shared/shared-store.ts'
import type { RedisScript } from './scripts.ts'

interface ScriptArguments {
  keys: string[]
  arguments: string[]
}

/** A client of node-redis: `createClient` or `createCluster`, connected. */
export interface NodeRedisLike {
  /** Runs a script by its text. */
  eval(script: string, options: ScriptArguments): Promise<unknown>
  /** Runs a script by its SHA-1. */
  evalSha(sha: string, options: ScriptArguments): Promise<unknown>
}

/** A client of ioredis: `new Redis` or `new Cluster`. */
export interface IoRedisLike {
  /** Sends a command with its arguments. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>
}

/** The calls that the store needs from a client. */
export interface RedisPort {
  /** Runs a script on one key. */
  run(call: SharedCall, script: RedisScript, key: string, args: readonly string[]): Promise<unknown>
  /** Sends a command to every primary. */
  onPrimaries(args: readonly string[]): Promise<readonly unknown[]>
}

interface Node {
  sendCommand(args: readonly string[]): Promise<unknown>
}
/** Members that only the cluster of node-redis has. */
interface NodeRedisCluster {
  readonly masters: readonly unknown[]
  nodeClient(node: unknown): Promise<Node>
}

/** Whether the server does not know the script, because it was restarted or another server took over. */
const isForgotten = (error: unknown): boolean =>
  stringProperty(error, 'message')?.startsWith('NOSCRIPT') === true

function nodeRedis(client: NodeRedisLike): RedisPort {
  return {
    async run(call, { sha, text }, key, args) {
      const options = { keys: [key], arguments: [...args] }
      try {
        return await client.evalSha(sha, options)
      } catch (error) {
        if (!isForgotten(error)) throw error
        call.continue()
        return client.eval(text, options)
      }
    },
    async onPrimaries(args) {
      const cluster = client as Partial<NodeRedisCluster>
      if (cluster.masters === undefined) return [await (client as unknown as Node).sendCommand(args)]
      return Promise.all(
        cluster.masters.map(async (master) => (await cluster.nodeClient?.(master))?.sendCommand(args)),
      )
    },
  }
}

function ioRedis(client: IoRedisLike): RedisPort {
  return {
    async run(call, { sha, text }, key, args) {
      try {
        return await client.call('EVALSHA', sha, 1, key, ...args)
      } catch (error) {
        if (!isForgotten(error)) throw error
        call.continue()
        return client.call('EVAL', text, 1, key, ...args)
      }
    },
    async onPrimaries([command = '', ...args]) {
      const { nodes } = client as { nodes?: (role: 'master') => readonly IoRedisLike[] }
      const primaries = nodes?.call(client, 'master') ?? [client]
      return Promise.all(primaries.map((primary) => primary.call(command, ...args)))
    },
  }
}

/** A client of node-redis or ioredis. */
export const redisPort: Schema<RedisPort> = (value, path, fail) => {
  const found = value as Partial<NodeRedisLike & IoRedisLike> | null | undefined
  if (typeof found?.evalSha === 'function') return nodeRedis(found as NodeRedisLike)
  if (typeof found?.call === 'function') return ioRedis(found as IoRedisLike)
  throw fail(path, 'a connected client of node-redis or ioredis', typeName(value))
}
