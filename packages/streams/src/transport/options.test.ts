/** The options of the transport: defaults, and errors that name the option. */
import type { Interceptor } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { isStreamsError } from '../streams-error.ts'
import { createStreamTransport } from './create-stream-transport.ts'
import { readTransportOptions, type StreamTransportOptions } from './options.ts'

const baseUrl = 'https://events.example.com'

test('the options have defaults', () => {
  const { baseUrl: url, acceptCompression, decoders, ...settings } = readTransportOptions({ baseUrl })
  expect(url.origin).toBe(baseUrl)
  expect(acceptCompression.map(({ name }) => name)).toEqual(['gzip', 'br'])
  expect(decoders.size).toBeGreaterThan(0)
  expect(settings).toEqual({
    allowInsecure: false,
    interceptors: [],
    defaultTimeoutMs: undefined,
    sendCompression: undefined,
    compressMinBytes: 1024,
    readMaxBytes: 16 << 20,
    writeMaxBytes: 16 << 20,
    streamWindowBytes: 1 << 20,
    readAheadBytes: 1 << 20,
    keepAlive: { intervalMs: 30_000, idleIntervalMs: 330_000, timeoutMs: 15_000 },
    connectTimeoutMs: 20_000,
    idleTimeoutMs: 900_000,
    tls: {},
    createConnection: undefined,
  })
})

test('keepAlive: false turns PINGs off', () => {
  expect(readTransportOptions({ baseUrl, keepAlive: false }).keepAlive).toBe(false)
})

test('options that were read can be read again', () => {
  const read = readTransportOptions({ baseUrl, keepAlive: false })
  expect(readTransportOptions({ ...read, baseUrl })).toEqual(read)
})

test('options are read once, so later changes have no effect', () => {
  const interceptors: Interceptor[] = []
  const tls = { servername: 'a' }
  const settings = readTransportOptions({ baseUrl, interceptors, tls })
  interceptors.push((next) => next)
  tls.servername = 'b'
  expect(settings).toMatchObject({ interceptors: [], tls: { servername: 'a' } })
})

describe('a wrong option', () => {
  test.each<readonly [keyof StreamTransportOptions, unknown]>([
    ['baseUrl', undefined],
    ['baseUrl', 'events.example.com'],
    ['baseUrl', 'ftp://events.example.com'],
    ['baseUrl', 'https://user:secret@events.example.com'],
    ['baseUrl', 'https://events.example.com?a=secret'],
    ['baseUrl', 'https://events.example.com#secret'],
    ['baseUrl', 'https://events.example.com/secret'],
    ['allowInsecure', 'secret'],
    ['interceptors', {}],
    ['acceptCompression', 'gzip'],
    ['defaultTimeoutMs', 0],
    ['compressMinBytes', -1],
    ['readMaxBytes', 0],
    ['readMaxBytes', 1.5],
    ['writeMaxBytes', '1'],
    ['streamWindowBytes', 65_534],
    ['streamWindowBytes', 2 ** 30],
    ['readAheadBytes', 0],
    ['keepAlive', 'off'],
    ['keepAlive', true],
    ['keepAlive', null],
    ['keepAlive', { intervalMs: 99 }],
    ['keepAlive', { intervalMs: 'off' }],
    ['keepAlive', { idleIntervalMs: 99 }],
    ['keepAlive', { timeoutMs: 7_200_001 }],
    ['keepAlive', { interval: 100 }],
    ['connectTimeoutMs', Number.NaN],
    ['idleTimeoutMs', 2 ** 31],
    ['tls', 'ca'],
    ['createConnection', {}],
  ])('%s: %j throws STREAM_OPTION_INVALID', (option, value) => {
    const make = () => createStreamTransport({ baseUrl, [option]: value } as StreamTransportOptions)
    expect(make).toThrow(
      expect.toSatisfy((error: unknown) => isStreamsError(error, 'STREAM_OPTION_INVALID')) as Error,
    )
    expect(make).toThrow(option)
    expect(make).not.toThrow('secret')
  })

  test.each([
    'http://0.0.0.0',
    'http://events.example.com',
    'https://h\\secret',
    'https://h\t.secret',
    'https://h\n',
    ' https://h',
    'https://h/a',
    'https:h',
    'https://127.1',
  ])('baseUrl: %j is rejected, because it is not encrypted or may be parsed in two ways', (url) => {
    expect(() => createStreamTransport({ baseUrl: url })).toThrow('baseUrl')
    // allowInsecure does not allow addresses that may be parsed in two ways.
    const rewritten = !url.startsWith('http:')
    const allowed = () => createStreamTransport({ baseUrl: url, allowInsecure: true })
    if (rewritten) expect(allowed).toThrow('baseUrl')
    else expect(allowed).not.toThrow()
  })

  test('allowInsecure has no effect if it is inherited', () => {
    const options = Object.assign(Object.create({ allowInsecure: true }), { baseUrl: 'http://h.example' })
    expect(() => createStreamTransport(options)).toThrow('allowInsecure')
  })

  test('missing options throw an error that names the options', () => {
    expect(() => createStreamTransport(undefined as never)).toThrow('options')
  })
})
