/** Dead letters, secrets and the URL of a webhook sink. */
import { appendFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '@brokerwire/core'
import { createMemoryStore } from '@brokerwire/stores'
import { describe, expect, test } from 'vitest'
import type { SinkState } from '../sink/event-sink.ts'
import { ADDRESS, entries, entry, keys } from '../test/entries.ts'
import { accept, WEBHOOK_SECRET } from '../test/webhook-receiver.ts'
import { makeDirectory, setUpWebhooks } from '../test/webhook-sink.ts'
import { createWebhookSink } from './webhook-sink.ts'
import type { DeadLetterReport } from './webhook-sink-options.ts'

const ALL = { maxEntries: 10_000 }
const STREAM = 'brokerwire_sandbox_us_team-a'
const OTHER_SECRET = `whsec_${Buffer.from('another secret for tests of webhooks').toString('base64')}`

describe('dead letters', () => {
  const failFirst =
    (id: string) =>
    (response: Parameters<typeof accept>[0], { eventIds }: { eventIds: readonly string[] }) =>
      eventIds[0] === id ? response.writeHead(422).end() : accept(response)

  test('get a message that the receiver does not accept in time, and the order goes on', async () => {
    const { receiver, open } = await setUpWebhooks(failFirst(entry(1).key))
    const directory = join(await makeDirectory(), 'dead')
    const reports: DeadLetterReport[] = []
    const sink = open({
      deadLetters: { directory, afterMs: 60 },
      onDeadLetter: (report) => reports.push(report),
    })
    await sink.tail(ALL)
    expect(await sink.publish(entries(1, 3))).toEqual({ sequence: 3 })
    const accepted = receiver.received.filter(({ eventIds }) => eventIds[0] !== entry(1).key)
    expect(accepted.map(({ eventIds }) => eventIds[0])).toEqual(keys(entries(2, 3)))
    const file = join(directory, `${STREAM}.dead-letters.jsonl`)
    expect(reports).toEqual([{ messages: 1, file, reason: 'status 422' }])
    const lines = (await readFile(file, 'utf8')).split('\n')
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      v: 1,
      stream: STREAM,
      atMs: expect.any(Number),
      webhookId: receiver.received[0]?.id,
      attempts: expect.any(Number),
      reason: 'status 422',
      batch: false,
      events: [JSON.parse(receiver.received[0]?.body ?? '')],
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
  })

  test('are appended after a partial line of a process that died', async () => {
    const { open } = await setUpWebhooks(failFirst(entry(1).key))
    const directory = await makeDirectory()
    const file = join(directory, `${STREAM}.dead-letters.jsonl`)
    await appendFile(file, '{"v":1,"str')
    const sink = open({ deadLetters: { directory, afterMs: 10 } })
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    const lines = (await readFile(file, 'utf8')).split('\n')
    expect(lines).toHaveLength(3)
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ v: 1 })
  })

  test('are not written beyond the limit of the file: the message waits', async () => {
    let isAvailable = false
    const { open } = await setUpWebhooks((response) => response.writeHead(isAvailable ? 200 : 500).end())
    const directory = await makeDirectory()
    const states: SinkState[] = []
    const sink = open({
      deadLetters: { directory, maxBytes: 100, afterMs: 10 },
      onState: (state) => states.push(state),
    })
    await sink.tail(ALL)
    const call = sink.publish([entry(1)])
    await expect.poll(() => states.length).toBe(2)
    expect(states).toEqual([
      { state: 'waiting', reason: 'status 500' },
      { state: 'waiting', reason: expect.stringContaining('it is full') },
    ])
    expect((await stat(join(directory, `${STREAM}.dead-letters.jsonl`))).size).toBe(0)
    isAvailable = true
    expect(await call).toEqual({ sequence: 1 })
  })
})

describe('the secrets', () => {
  test('are read again, and both sign while one is replaced', async () => {
    let accepted: string | readonly string[] = WEBHOOK_SECRET
    let nowMs = Date.now()
    let secrets: readonly string[] = [WEBHOOK_SECRET]
    const { receiver, open } = await setUpWebhooks(accept, () => accepted)
    const failures: unknown[] = []
    const sink = open({
      clock: { ...systemClock, now: () => nowMs },
      secrets: () => secrets,
      onSecretsFailed: (error) => failures.push(error),
    })
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    secrets = [WEBHOOK_SECRET, OTHER_SECRET]
    nowMs += 10_000
    accepted = OTHER_SECRET
    await sink.publish([entry(2)])
    secrets = ['not a secret']
    nowMs += 10_000
    await sink.publish([entry(3)])
    expect(receiver.received).toHaveLength(3)
    expect(receiver.rejected).toEqual([])
    expect(failures).toMatchObject([{ code: 'RELAY_OPTION_INVALID' }])
  })

  test('must be valid when the tail is read', async () => {
    const { open } = await setUpWebhooks()
    await expect(open({ secrets: 'whsec_short' }).tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_OPTION_INVALID',
      details: { option: 'secrets' },
    })
  })
})

test.each([
  ['http://example.com/', 'http: on a host that is not loopback'],
  ['ftp://example.com/', 'another scheme'],
  ['https://user:password@example.com/', 'credentials'],
  ['https://example.com/#a', 'a fragment'],
  ['example.com', 'another text'],
])('rejects the URL %s', (url, received) => {
  const options = { address: ADDRESS, url, secrets: WEBHOOK_SECRET, store: createMemoryStore() }
  expect(() => createWebhookSink({ ...options, allowPrivateAddresses: true })).toThrow(received)
})

test('accepts http: on a loopback host only with allowPrivateAddresses', () => {
  const options = {
    address: ADDRESS,
    url: 'http://127.0.0.1:1/',
    secrets: WEBHOOK_SECRET,
    store: createMemoryStore(),
  }
  expect(() => createWebhookSink(options)).toThrow('allowPrivateAddresses')
  expect(() => createWebhookSink({ ...options, allowPrivateAddresses: true })).not.toThrow()
})
