/** A NATS server for the tests of a file, with sinks and requests for one stream. */
import type { ChildServer } from '@brokerwire/testing/child-server'
import { needs } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { headers as createHeaders } from '@nats-io/nats-core'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect } from 'vitest'
import { createJetStreamApi, type RawMessage, type StreamConfig } from '../nats/api/jetstream-api.ts'
import { createJetStreamSink } from '../nats/jetstream-sink.ts'
import type { JetStreamSinkOptions } from '../nats/jetstream-sink-options.ts'
import { type StreamAddress, streamName } from '../wire/subjects.ts'
import { ADDRESS } from './entries.ts'

export const { skip, note } = needs('nats-server')
export const ALL = { maxEntries: 10_000 }

export const open = (port: number): Promise<NatsConnection> =>
  connect({ port, reconnectTimeWait: 20, maxReconnectAttempts: -1, timeout: 5000 })

export let server: ChildServer
export let connection: NatsConnection

/** Starts a server before the tests of a file, and stops it after them. */
export function useJetStream(): void {
  beforeAll(async () => {
    if (skip) return
    server = await startNats()
    connection = await open(server.port)
  }, 60_000)
  afterAll(async () => {
    await connection?.close()
    await server?.close()
  })
}

export const sinkOf = (options: Partial<JetStreamSinkOptions> = {}) =>
  createJetStreamSink({ connection, address: ADDRESS, createStream: {}, ...options })
/** The connection of the tests, with another `publish`. */
export const publishingBy = (publish: NatsConnection['publish']) => ({
  ...(connection.info && { info: connection.info }),
  request: connection.request.bind(connection),
  subscribe: connection.subscribe.bind(connection),
  publish,
})
export const apiOf = (address: StreamAddress = ADDRESS) =>
  createJetStreamApi(connection, streamName(address), { timeoutMs: 5000, domain: undefined })
const request = async (what: string, body?: object): Promise<void> => {
  const payload = body === undefined ? '' : JSON.stringify(body)
  const answer = await connection.request(`$JS.API.${what}`, payload, { timeout: 5000 })
  const { error } = answer.json<{ error?: { description: string } }>()
  if (error !== undefined) throw new Error(error.description)
}
export const edit = async (change: StreamConfig): Promise<void> =>
  request(`STREAM.UPDATE.${streamName(ADDRESS)}`, { ...(await apiOf().info()).config, ...change })
export const drop = async (address: StreamAddress = ADDRESS): Promise<void> => {
  await connection.request(`$JS.API.STREAM.DELETE.${streamName(address)}`, '', { timeout: 5000 })
}

/** Deletes the stream, and restores the messages up to `sequence`, if there are any. */
export async function truncate(sequence: number): Promise<void> {
  const api = apiOf()
  const { config } = await api.info()
  const kept: RawMessage[] = []
  for (let seq = 1; seq <= sequence; seq += 1) kept.push((await api.message({ seq })) as RawMessage)
  await drop()
  if (sequence === 0) return
  await api.create(config)
  for (const { subject, bytes, headers } of kept) {
    const copied = createHeaders()
    for (const [name, value] of Object.entries(headers))
      if (!name.startsWith('Nats-Expected')) copied.set(name, value)
    await connection.request(subject, bytes, { headers: copied, timeout: 5000 })
  }
}

/** Sends the requests of the `nats` command that an error contains. Debian has no package of that program. */
export async function carryOut(command: string): Promise<void> {
  const [nats, subject, verb, stream = '', ...flags] = command.split(' ')
  expect([nats, subject]).toEqual(['nats', 'stream'])
  if (verb === 'rm') return request(`STREAM.DELETE.${stream}`)
  expect([verb, stream, flags.at(-1)]).toEqual(['edit', streamName(ADDRESS), '--force'])
  const change: Record<string, unknown> = {}
  for (const flag of flags.slice(0, -1)) {
    const [, name = '', value = ''] = /^--([a-z-]+)(?:=(.+))?$/.exec(flag) ?? []
    if (name === 'ack') change.no_ack = false
    else if (name === 'subjects') change.subjects = [value.replaceAll("'", '')]
    else {
      expect(name).toMatch(/^max-(?:msgs|bytes|msgs-per-subject|msg-size)$/)
      change[name.replaceAll('-', '_')] = Number(value)
    }
  }
  await edit(change)
}
