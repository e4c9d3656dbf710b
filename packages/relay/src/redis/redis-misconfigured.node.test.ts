/** Servers and users that the sink cannot write to: each error has the remedy, and messages are stored after it. */
import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@brokerwire/testing/free-port'
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import type { RedisServer } from '@brokerwire/testing/redis'
import { waitUntil } from '@brokerwire/testing/wait'
import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SinkState } from '../sink/event-sink.ts'
import { ADDRESS, entries, entry, keys } from '../test/entries.ts'
import { ALL, connect, note, skip, startOther } from '../test/redis.ts'
import { streamName } from '../wire/subjects.ts'
import { createRedisSink } from './redis-sink.ts'

const NAME = streamName(ADDRESS)

function open(port: number, user?: { username: string; password: string }) {
  const client = connect(port, user)
  onTestFinished(() => client.disconnect())
  const states: SinkState[] = []
  const sink = createRedisSink({
    client,
    address: ADDRESS,
    requestTimeoutMs: 2000,
    onState: (state) => states.push(state),
  })
  onTestFinished(() => sink.close())
  return { client, sink, states }
}

/** Starts two servers of a cluster. The first one has all slots. */
async function startCluster() {
  const start = async (): Promise<RedisServer> =>
    startOther('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()))
  const [first, second] = [await start(), await start()]
  const [one, other] = [connect(first.port), connect(second.port)]
  onTestFinished(() => {
    one.disconnect()
    other.disconnect()
  })
  await one.cluster('ADDSLOTSRANGE', 0, 16383)
  const [, busPort = ''] = /@(\d+)/.exec(String(await one.call('CLUSTER', 'NODES'))) ?? []
  await other.call('CLUSTER', 'MEET', '127.0.0.1', first.port, busPort)
  await waitUntil(async () => /cluster_state:ok/.test(String(await other.call('CLUSTER', 'INFO'))))
  return { first, second }
}

describe.skipIf(skip)(`a misconfigured server${note}`, REAL_SERVERS, () => {
  test('a server that cannot write its snapshot only delays what is published', async () => {
    const server = await startOther('--save', '3600 1')
    const { client, sink, states } = open(server.port)
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    // A folder of the name of the snapshot makes each snapshot fail, as a full disk does.
    const snapshot = join(server.directory, 'dump.rdb')
    await mkdir(snapshot)
    await client.bgsave()
    await waitUntil(async () => /rdb_last_bgsave_status:err/.test(await client.info('persistence')))
    const published = sink.publish(entries(2, 5))
    await expect
      .poll(() => states.at(-1))
      .toMatchObject({
        state: 'waiting',
        reason: expect.stringMatching(/MISCONF.*redis-cli BGSAVE/),
      })
    await rmdir(snapshot)
    await client.bgsave()
    expect(await published).toEqual({ sequence: 5 })
    expect(states.at(-1)).toEqual({ state: 'writing' })
    expect(keys((await sink.tail(ALL)).entries)).toEqual(keys(entries(1, 5)))
  })

  test.each([
    ['a command of the scripts', '-xadd'],
    ['scripts', '-evalsha -eval'],
    ['all commands', '-@all'],
    ['its keys', 'resetkeys'],
  ])('a user without access to %s gets it by the command in the error', async (_, rules) => {
    const server = await startOther()
    const { client: admin } = open(server.port)
    const user = { username: 'relay', password: 'not-shown' }
    await admin.call(
      'ACL',
      'SETUSER',
      user.username,
      'on',
      `>${user.password}`,
      '~*',
      '+@all',
      ...rules.split(' '),
    )
    const { sink } = open(server.port, user)
    const publish = async () => {
      await sink.tail(ALL)
      return sink.publish([entry(1)])
    }
    const error = await publish().catch((reason) => reason)
    expect(error).toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: {
        setting: 'access',
        received: 'NOPERM',
        command: expect.stringMatching(/^redis-cli ACL SETUSER/),
      },
    })
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(user.password)
    const text = error.details.command.replace(' USER ', ` ${user.username} `)
    // A shell removes the quotes.
    const [, ...command] = text.replaceAll("'", '').split(' ')
    await admin.call(...(command as [string, ...string[]]))
    expect(await publish()).toEqual({ sequence: 1 })
  })

  test('a client without the password of the server gets an error without a command', async () => {
    const server = await startOther()
    const { client: admin } = open(server.port)
    await admin.config('SET', 'requirepass', 'not-shown')
    const { sink } = open(server.port)
    const error = await sink.tail(ALL).catch((reason) => reason)
    expect(error).toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'credentials', received: 'NOAUTH', command: undefined },
    })
  })

  test('a cluster is written with the clients of a cluster, and a client of one server is rejected', async () => {
    const { first, second } = await startCluster()
    const nodeRedis = createCluster({ rootNodes: [{ url: second.url }] })
    nodeRedis.on('error', () => {})
    await nodeRedis.connect()
    onTestFinished(() => nodeRedis.destroy())
    const ioRedis = new Cluster([{ host: '127.0.0.1', port: second.port }])
    onTestFinished(() => ioRedis.disconnect())
    for (const [at, client] of [nodeRedis, ioRedis].entries()) {
      await using sink = createRedisSink({ client, address: ADDRESS })
      expect((await sink.tail(ALL)).sequence).toBe(at)
      expect(await sink.publish([entry(at + 1)])).toEqual({ sequence: at + 1 })
    }
    const { sink } = open(second.port)
    await expect(sink.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'client', received: 'MOVED' },
      message: expect.stringMatching(/createCluster/),
    })
    const { client } = open(first.port)
    expect(await client.xlen(NAME)).toBe(2)
  })
})
