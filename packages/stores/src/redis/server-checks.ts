/**
 * Checks whether a Redis server is durable. Three settings lose data silently:
 * - without an append-only file, a killed server forgets everything
 * - if the server does not wait for its replicas, a promoted replica may not have the last writes
 * - with an eviction policy, the server is a cache
 */
import { misconfigured, stringProperty, unavailable } from '../shared/failures.ts'
import type { StoresError } from '../stores-error.ts'
import type { RedisPort } from './client.ts'

/** A setting that could lose data and is accepted. */
export interface RedisWarning {
  /** Name of the setting in `redis.conf`. */
  readonly setting: string
  /** The value that the store needs. */
  readonly expected: string
  /** The value that the server has; `unknown` if CONFIG or INFO is forbidden. */
  readonly received: string
}

interface Settings {
  readonly appendonly: string | undefined
  readonly appendfsync: string | undefined
  readonly minReplicas: string | undefined
  readonly maxLag: string | undefined
}

/**
 * Checks the eviction policy. A full server with such a policy deletes keys. It deletes leases first, because
 * they have an expiry.
 */
function checkEvictionPolicy(info: ReadonlyMap<string, string>): RedisWarning[] {
  const policy = info.get('maxmemory_policy')
  if (policy === undefined || policy === 'noeviction' || info.get('maxmemory') === '0') return []
  return [{ setting: 'maxmemory-policy', expected: 'noeviction', received: policy }]
}

/** Parses the response of CONFIG GET: a flat list, a map or a plain object, depending on the protocol. */
function parsePairs(answer: unknown): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  if (Array.isArray(answer)) {
    for (let at = 0; at + 1 < answer.length; at += 2) pairs.set(String(answer[at]), String(answer[at + 1]))
  } else if (answer instanceof Map) {
    for (const [name, value] of answer) pairs.set(String(name), String(value))
  } else if (typeof answer === 'object' && answer !== null) {
    for (const [name, value] of Object.entries(answer)) pairs.set(name, String(value))
  }
  return pairs
}

/** Parses the lines `name:value` of INFO. */
function parseInfo(answer: unknown): ReadonlyMap<string, string> {
  const lines = String(answer).split(/\r?\n/)
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(':')
      return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const]
    }),
  )
}

/** Whether the command is forbidden by an access list, renamed, or unknown to a proxy. */
const isForbidden = (error: unknown): boolean =>
  /^(NOPERM|ERR unknown command|ERR unknown subcommand|ERR command|ERR not allowed|ERR This instance)/i.test(
    stringProperty(error, 'message') ?? '',
  )

async function ask(port: RedisPort, args: readonly string[]): Promise<readonly unknown[] | undefined> {
  try {
    return await port.onPrimaries(args)
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}

function collectSettings(answers: readonly (readonly unknown[] | undefined)[], at: number): Settings {
  const [appendonly, minReplicas, maxLag, appendfsync] = answers.map((answer) => parsePairs(answer?.[at]))
  return {
    appendonly: appendonly?.get('appendonly'),
    appendfsync: appendfsync?.get('appendfsync'),
    minReplicas: minReplicas?.get('min-replicas-to-write'),
    maxLag: maxLag?.get('min-replicas-max-lag'),
  }
}

/** Returns a warning for each setting with which a server may lose data, the most serious first. */
function checkDurability(settings: Settings, replicas: number | undefined): RedisWarning[] {
  const found: RedisWarning[] = []
  const { appendonly, appendfsync, minReplicas, maxLag } = settings
  if (appendonly !== 'yes')
    found.push({ setting: 'appendonly', expected: 'yes', received: appendonly ?? 'unknown' })
  // With `no`, the operating system decides when to write to the disk, by default after half a minute.
  if (appendfsync === 'no')
    found.push({ setting: 'appendfsync', expected: 'always or everysec', received: 'no' })
  if (replicas === 0) return found
  if (!(Number(minReplicas) >= 1)) {
    const expected = replicas === undefined ? 'at least 1 if there are replicas' : 'at least 1'
    found.push({ setting: 'min-replicas-to-write', expected, received: minReplicas ?? 'unknown' })
  } else if (maxLag !== '1') {
    found.push({ setting: 'min-replicas-max-lag', expected: '1', received: maxLag ?? 'unknown' })
  }
  return found
}

/**
 * @returns The number of replicas; `undefined` if it is unknown.
 * @throws `STORE_UNAVAILABLE` if the server is a replica, which rejects every write.
 */
function countReplicas(info: ReadonlyMap<string, string>): number | undefined {
  const role = info.get('role')
  if (role !== undefined && role !== 'master')
    throw unavailable('ready', `the server is a ${role.slice(0, 20)}`)
  const count = info.get('connected_slaves')
  return count === undefined ? undefined : Number(count)
}

/** Checks the settings of every primary. @returns The warnings of all primaries. */
export async function inspectServers(port: RedisPort): Promise<RedisWarning[]> {
  const info = await ask(port, ['INFO', 'replication'])
  const memory = await ask(port, ['INFO', 'memory'])
  const answers = [
    await ask(port, ['CONFIG', 'GET', 'appendonly']),
    await ask(port, ['CONFIG', 'GET', 'min-replicas-to-write']),
    await ask(port, ['CONFIG', 'GET', 'min-replicas-max-lag']),
    await ask(port, ['CONFIG', 'GET', 'appendfsync']),
  ]
  const count = Math.max(1, info?.length ?? 0, ...answers.map((answer) => answer?.length ?? 0))
  return Array.from({ length: count }, (_, at) => {
    const replicas = info === undefined ? undefined : countReplicas(parseInfo(info[at]))
    return [
      ...checkDurability(collectSettings(answers, at), replicas),
      ...(memory === undefined ? [] : checkEvictionPolicy(parseInfo(memory[at]))),
    ]
  }).flat()
}

/** The error for a server that is rejected. */
export function misconfiguredServer(warning: RedisWarning): StoresError<'STORE_MISCONFIGURED'> {
  return misconfigured(
    warning,
    'Change it in redis.conf, or set requireDurable: false if this store may forget what it acknowledged',
  )
}
