/** The readers as processes: one is killed, and the next one with its name continues with what was not acknowledged. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createRedisSink } from '@brokerwire/relay/redis'
import { needs, programOf } from '@brokerwire/testing/installed'
import { startRedis } from '@brokerwire/testing/redis'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from '../test/bundle-programs.ts'
import { ADDRESS, event } from '../test/relay-event.ts'
import { runExample } from '../test/run-example.ts'

/** Starts a server, and a sink that writes to it. */
async function start() {
  const server = await startRedis()
  onTestFinished(() => server.close())
  const client = createClient({ url: server.url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.destroy())
  const sink = createRedisSink({ client, address: ADDRESS })
  onTestFinished(() => sink.close())
  await sink.tail({ maxEntries: 0 })
  const publish = (from: number, to: number) =>
    sink.publish(Array.from({ length: to - from + 1 }, (_, at) => event(from + at)))
  return { url: server.url, client, publish }
}

const sequencesIn = (lines: readonly string[]): number[] =>
  lines.flatMap((line) => /^(\d+)-0 /.exec(line)?.[1] ?? []).map(Number)
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1)

const node = needs('redis-server')

describe.skipIf(node.skip)(`the reader in TypeScript${node.note}`, { timeout: 120_000 }, () => {
  test('reads each event, also after it was killed', async () => {
    const { url, client, publish } = await start()
    await publish(1, 250)
    const first = runExample('relay-redis/reader.ts', { REDIS_URL: url })
    await first.line(/^100-0 module {"number":100}$/)
    first.kill()
    await first.ended
    await publish(251, 300)
    const second = runExample('relay-redis/reader.ts', { REDIS_URL: url })
    await second.line(/^300-0 module {"number":300}$/)
    const read = [...sequencesIn(first.lines), ...sequencesIn(second.lines)]
    expect([...new Set(read)].sort((one, other) => one - other)).toEqual(upTo(300))
    await expect
      .poll(async () => (await client.xPending('brokerwire_sandbox_us_team-a', 'billing')).pending)
      .toBe(0)
  })
})

const python = needs('redis-server', 'python3', 'python3-redis')

describe.skipIf(python.skip)(`the reader in Python${python.note}`, { timeout: 120_000 }, () => {
  test('reads each event in order', async () => {
    const { url, publish } = await start()
    await publish(1, 250)
    const child = spawn(programOf('python3'), [join(EXAMPLES, 'relay-redis/reader.py')], {
      env: { ...process.env, REDIS_URL: url },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const lines: string[] = []
    const output = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    while (sequencesIn(lines).length < 250) await once(output, 'line')
    expect(lines.at(1)).toMatch(/^1-0 event module {"number":1}$/)
    expect(sequencesIn(lines)).toEqual(upTo(250))
  })
})
