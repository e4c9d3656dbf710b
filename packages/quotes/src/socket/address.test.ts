import { describe, expect, test } from 'vitest'
import { optionInvalid } from '../quotes-error.ts'
import { parseMqttAddress } from './address.ts'

const read = (url: unknown, allowInsecure?: boolean) =>
  parseMqttAddress(optionInvalid, 'mqttUrl', url, allowInsecure)

test.each([
  ['mqtts://data-api.example.com:1883', 'tcp', true, 'data-api.example.com', 1883, '/mqtt'],
  ['MQTTS://Host.Example:1883/', 'tcp', true, 'host.example', 1883, '/mqtt'],
  ['mqtts://host.example:443', 'tcp', true, 'host.example', 443, '/mqtt'],
  ['mqtt://127.0.0.1:1883', 'tcp', false, '127.0.0.1', 1883, '/mqtt'],
  ['mqtt://[::1]:1883', 'tcp', false, '::1', 1883, '/mqtt'],
  ['wss://data-api.example.com:8883/mqtt', 'websocket', true, 'data-api.example.com', 8883, '/mqtt'],
  ['wss://host.example', 'websocket', true, 'host.example', 443, '/mqtt'],
  ['ws://localhost:9001/other/path', 'websocket', false, 'localhost', 9001, '/other/path'],
])('%s', (url, transport, secure, hostname, port, path) => {
  expect(read(url)).toMatchObject({ transport, secure, hostname, port, path })
})

describe('invalid addresses', () => {
  test.each([
    ['clear text on another host', 'mqtt://topsecret.example:1883'],
    ['clear text over WebSocket', 'ws://topsecret.example/mqtt'],
    ['a host that only looks like loopback', 'mqtt://127.0.0.1.topsecret.example:1'],
    ['no port', 'mqtts://topsecret.example'],
    ['a path over TCP', 'mqtts://topsecret.example:1883/mqtt'],
    ['a query', 'wss://topsecret.example/mqtt?a'],
    ['a user', 'mqtts://topsecret@host.example:1883'],
    ['a backslash', 'mqtts://host\\topsecret:1883'],
    ['another scheme', 'https://topsecret.example'],
    ['no text', 7],
    ['nothing', ''],
  ])('%s', (_, url) => {
    let message = ''
    try {
      read(url)
    } catch (error) {
      message = JSON.stringify(error)
    }
    expect(message).toContain('QUOTES_OPTION_INVALID')
    expect(message).toContain('"option":"mqttUrl"')
    expect(message).not.toContain('topsecret')
  })
})

test('allows cleartext on any host with allowInsecure', () => {
  expect(read('mqtt://broker.internal:1883', true)).toMatchObject({
    secure: false,
    hostname: 'broker.internal',
  })
})
