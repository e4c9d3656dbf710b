import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseRelayConfig } from '@brokerwire/relay'
import { describe, expect, test } from 'vitest'
import { checkAddresses } from './addresses.ts'
import { relayChecks } from './relay.ts'
import { checkNode, checkPackages } from './versions.ts'

const signal = new AbortController().signal

describe('addresses', () => {
  test('that all use TLS pass', () => {
    expect(
      checkAddresses({ requests: 'https://a.example', 'market data': 'mqtts://b.example:1883' }),
    ).toEqual({
      result: 'ok',
      text: 'all use TLS',
    })
  })

  test('in clear text on another machine fail, and on this machine are a note', () => {
    const requests = 'http://127.0.0.1:8080'
    expect(checkAddresses({ requests, events: 'http://a.example' })).toMatchObject({
      result: 'failed',
      text: 'clear text: events (a.example)',
    })
    expect(checkAddresses({ requests, events: undefined })).toMatchObject({ result: 'note' })
  })
})

describe('versions', () => {
  test('of Node are supported until the date of the table', () => {
    const at = (day: string): number => Date.parse(`${day}T12:00:00Z`)
    expect(checkNode('20.20.2', at('2026-04-30')).result).toBe('ok')
    expect(checkNode('20.20.2', at('2026-05-01')).result).toBe('note')
    expect(checkNode('20.20.2', at('2027-05-01')).result).toBe('failed')
    expect(checkNode('21.0.0', at('2026-05-01')).result).toBe('note')
  })

  test('of the packages must be equal', () => {
    const signer = { name: '@brokerwire/signer', version: '0.1.0' }
    expect(checkPackages([signer, { name: '@brokerwire/core', version: '0.1.0' }])).toMatchObject({
      result: 'ok',
      text: '2 packages of version 0.1.0',
    })
    expect(checkPackages([signer, { name: '@brokerwire/core', version: '0.2.0' }])).toMatchObject({
      result: 'failed',
      text: 'different versions: @brokerwire/signer 0.1.0, @brokerwire/core 0.2.0',
    })
  })
})

describe('a relay', () => {
  const app = {
    name: 'team-a',
    environment: 'production',
    region: 'us',
    appKey: { env: 'KEY' },
    appSecret: { env: 'SECRET' },
    accounts: ['A1'],
  }
  const results = async (config: object): Promise<Record<string, string>> => {
    const checks = relayChecks(parseRelayConfig(JSON.stringify(config)))
    const all = checks.map(async ({ name, check }) => [name, (await check(signal)).result] as const)
    return Object.fromEntries(await Promise.all(all))
  }

  test('with JetStream in clear text on another machine fails', async () => {
    const sink = { type: 'jetstream', servers: ['nats://nats.example:4222'] }
    const store = { type: 'nats', bucket: 'brokerwire' }
    expect(await results({ apps: [app], sink, store })).toEqual({
      'team-a: environment': 'ok',
      'team-a: addresses': 'ok',
      'team-a: secret': 'note',
      'team-a: connections': 'ok',
      store: 'ok',
      'sink: TLS': 'failed',
      'sink: copies': 'note',
      'health address': 'ok',
    })
  })

  test('with files in a temporary folder fails', async () => {
    const sink = { type: 'file', directory: join(tmpdir(), 'events') }
    const store = { type: 'file', directory: join(tmpdir(), 'store') }
    expect(await results({ apps: [app], sink, store })).toMatchObject({ sink: 'failed', store: 'failed' })
  })

  test('with a secret that other users can read fails', async () => {
    const appSecret = { file: '/etc/passwd' }
    expect(await results({ apps: [{ ...app, appSecret }] })).toMatchObject({ 'team-a: secret': 'failed' })
  })
})
