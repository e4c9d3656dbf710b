/** TLS: ALPN, certificate authorities, server names and client certificates. */
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { connect as connectTls, createServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import type { TestServer } from '@brokerwire/testing/http2-server'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { activeResources, leakedResources } from '../test/transport/active-resources.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { errorOf } from '../test/transport/outcome.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import type { StreamTransportOptions } from './options.ts'

const own = createSelfSignedCertificate()
const another = createSelfSignedCertificate()

let harness: Harness
let transport: StreamTransport | undefined
let bare: ReturnType<typeof createServer> | undefined
let before: ReturnType<typeof activeResources>
beforeEach(() => {
  before = activeResources()
  harness = createHarness('ours')
})
afterEach(async () => {
  transport?.close()
  bare?.close()
  await harness.close()
  expect(await leakedResources(before)).toEqual([])
})

/** Starts a server that returns the name in the certificate of its client. */
const start = (tls: Parameters<Harness['server']>[1] & object): Promise<TestServer> =>
  harness.server((call) => {
    const socket = call.session.socket as TLSSocket
    call.send(String(socket.getPeerX509Certificate()?.fingerprint256), String(socket.servername))
    call.end()
  }, tls)

async function texts(url: string, options: Partial<StreamTransportOptions>): Promise<string[]> {
  transport = createStreamTransport({ baseUrl: url, ...options })
  const all: string[] = []
  for await (const { value } of createStreamClient(Echo, transport).serverStream({})) all.push(value)
  return all
}

/** Starts a TLS server that sends nothing. */
async function startTls(options: TlsOptions): Promise<string> {
  const server = createServer({ ...own, ...options }, (socket) => {
    socket.on('error', () => {})
    socket.resume()
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  bare = server
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Expects `unavailable` with this message. */
async function expectUnavailable(work: Promise<unknown>, text: RegExp): Promise<void> {
  const error = await errorOf(work)
  expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: expect.stringMatching(text) })
}

describe('a TLS server', () => {
  test('is trusted with the certificate authority of the caller', async () => {
    const { url } = await start({ tls: own })
    expect(await texts(url, { tls: { ca: own.cert } })).toEqual(['undefined', 'false'])
  })

  test('gets its name by SNI, unless it is an IP address', async () => {
    const { url } = await start({ tls: own })
    const tls = { ca: own.cert, checkServerIdentity: () => undefined }
    expect(await texts(url.replace('127.0.0.1', 'localhost'), { tls })).toEqual(['undefined', 'localhost'])
  })

  test('with an untrusted certificate is rejected', async () => {
    const { url } = await start({ tls: own })
    await expectUnavailable(texts(url, {}), /self-signed certificate/)
    await expectUnavailable(texts(url, { tls: { ca: another.cert } }), /self-signed certificate/)
  })

  test('with another name in its certificate is rejected', async () => {
    const { url } = await start({ tls: own })
    const tls = { ca: own.cert, servername: 'other.example' }
    await expectUnavailable(texts(url, { tls }), /other\.example/)
  })

  test('that allows only HTTP/1.1 by ALPN is rejected', async () => {
    const url = await startTls({ ALPNProtocols: ['http/1.1'] })
    await expectUnavailable(texts(url, { tls: { ca: own.cert } }), /alert/)
  })

  test('without ALPN is rejected', async () => {
    const url = await startTls({})
    await expectUnavailable(texts(url, { tls: { ca: own.cert } }), /did not choose HTTP\/2/)
  })

  test('that sends plain text is rejected', async () => {
    const { url } = await harness.server()
    await expectUnavailable(texts(url.replace('http:', 'https:'), {}), /./)
  })

  test('that accepts and sends nothing is unavailable after connectTimeoutMs', async () => {
    const { url, closed } = await harness.wire(() => {}, { mute: true })
    const options = { connectTimeoutMs: 30 }
    await expectUnavailable(texts(url.replace('http:', 'https:'), options), /no connection within 30 ms/)
    await closed
  })
})

describe('a client certificate', () => {
  const mutual = { ...own, requestCert: true, ca: another.cert }

  test('is sent and verified', async () => {
    const { url } = await start({ tls: mutual })
    const tls = { ca: own.cert, cert: another.cert, key: another.key }
    const [fingerprint] = await texts(url, { tls })
    expect(fingerprint).toMatch(/^([0-9A-F]{2}:){31}/)
  })

  test('that is missing or not trusted leads to the end of the connection', async () => {
    const { url } = await start({ tls: mutual })
    await expectUnavailable(texts(url, { tls: { ca: own.cert } }), /./)
    const wrong = { ca: own.cert, cert: own.cert, key: own.key }
    await expectUnavailable(texts(url, { tls: wrong }), /./)
  })
})

describe('createConnection with https', () => {
  test('gets TLS over the returned socket', async () => {
    const { url, port } = await start({ tls: own })
    const createConnection = () => connectTcp(port, '127.0.0.1')
    expect(await texts(url, { tls: { ca: own.cert }, createConnection })).toHaveLength(2)
  })

  test.each(['at once', 'when it is ready'])('keeps a TLSSocket, returned %s', async (when) => {
    const { url, port } = await start({ tls: own })
    const createConnection = () => {
      const socket = connectTls({ port, host: '127.0.0.1', ca: own.cert, ALPNProtocols: ['h2'] })
      if (when === 'at once') return socket
      return new Promise<TLSSocket>((resolve) => socket.once('secureConnect', () => resolve(socket)))
    }
    expect(await texts(url, { createConnection })).toHaveLength(2)
  })

  test('fails with a TLSSocket without HTTP/2', async () => {
    const { url, port } = await start({ tls: { ...own, allowHTTP1: true } })
    const createConnection = () => connectTls({ port, host: '127.0.0.1', ca: own.cert })
    await expectUnavailable(texts(url, { createConnection }), /did not choose HTTP\/2/)
  })
})
