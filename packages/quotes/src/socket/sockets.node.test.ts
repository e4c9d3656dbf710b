/** The contract of sockets, for each transport: TCP, TLS, and WebSocket with and without TLS. */

import { Socket } from 'node:net'
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import {
  type ByteConnection,
  type ByteServer,
  startByteServer,
  type Transport,
} from '@brokerwire/testing/byte-server'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { optionInvalid } from '../quotes-error.ts'
import { parseMqttAddress } from './address.ts'
import { tcpSockets } from './node-tcp.ts'
import { MAX_UNSENT_BYTES, type QuotesSocket, type QuotesSocketOpener } from './port.ts'
import { type WebSocketClass, webSockets } from './web-socket.ts'

const tls = createSelfSignedCertificate()
const servers: ByteServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function serve(
  transport: Transport,
  onConnection: (connection: ByteConnection) => (bytes: Uint8Array) => void,
): Promise<string> {
  const server = await startByteServer(transport, tls, onConnection)
  servers.push(server)
  return server.url
}

/** The class of `ws` with the certificate authority of the test. */
class TrustingWebSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    super(url, protocols, { ca: tls.cert })
  }
}

function openerOf(transport: Transport, ca: string | undefined = tls.cert): QuotesSocketOpener {
  if (transport.startsWith('ws')) return webSockets(TrustingWebSocket)
  if (tcpSockets === undefined) throw new Error('no TCP')
  return tcpSockets({ ca }, MAX_UNSENT_BYTES)
}

/** The events of a socket, and a function to wait for them. */
function watched(open: QuotesSocketOpener, url: string) {
  const reports: string[] = []
  let wake = (): void => {}
  const say = (text: string): void => {
    reports.push(text)
    wake()
  }
  const socket: QuotesSocket = open(parseMqttAddress(optionInvalid, 'mqttUrl', url, false), {
    opened: () => say('opened'),
    received: (bytes) => say(`received ${Buffer.from(bytes).toString('hex')}`),
    closed: (systemCode) => say(`closed ${systemCode ?? ''}`.trim()),
  })
  const until = async (text: string): Promise<void> => {
    while (!reports.some((line) => line.startsWith(text)))
      await new Promise<void>((resolve) => (wake = resolve))
  }
  return { socket, reports, until }
}

describe.each<Transport>(['mqtt', 'mqtts', 'ws', 'wss'])('%s', (transport) => {
  test('opens, transfers bytes both ways, and reports the end once', async () => {
    let server: ByteConnection | undefined
    const url = await serve(transport, (connection) => {
      server = connection
      return (bytes) => connection.send(Uint8Array.from(bytes).reverse())
    })
    const { socket, reports, until } = watched(openerOf(transport), url)
    await until('opened')
    socket.send(Uint8Array.of(1, 2, 3))
    await until('received')
    server?.end()
    await until('closed')
    expect(reports).toEqual(['opened', 'received 030201', 'closed'])
    socket.send(Uint8Array.of(4))
    socket.end()
    socket.destroy()
  })

  test('sends pending bytes on end()', async () => {
    let last = ''
    let isOver = (): void => {}
    const over = new Promise<void>((resolve) => (isOver = resolve))
    const url = await serve(transport, (connection) => {
      connection.raw.once('close', () => isOver())
      return (bytes) => {
        last += Buffer.from(bytes).toString('hex')
      }
    })
    const { socket, reports, until } = watched(openerOf(transport), url)
    await until('opened')
    socket.send(Uint8Array.of(0xe0))
    socket.send(Uint8Array.of(0x00))
    socket.end()
    await over
    expect(last).toBe('e000')
    // A caller that closed the socket gets no event.
    expect(reports).toEqual(['opened'])
  })

  test('closes the connection if a server does not read 64 KiB', async () => {
    let connection: ByteConnection | undefined
    const url = await serve(transport, (made) => {
      connection = made
      made.raw.pause()
      return () => {}
    })
    const { socket, until } = watched(openerOf(transport), url)
    await until('opened')
    await expect.poll(() => connection).toBeDefined()
    // More bytes than all buffers on the way hold.
    socket.send(new Uint8Array(30_000_000))
    socket.send(Uint8Array.of(1))
    await until('closed ENOBUFS')
  })

  test('reports a broken connection as closed', async () => {
    const url = await serve(transport, (connection) => () => connection.destroy())
    const { socket, reports, until } = watched(openerOf(transport), url)
    await until('opened')
    socket.send(Uint8Array.of(1))
    await until('closed')
    expect(reports).toHaveLength(2)
  })

  test('reports a refused connection as closed, with the system code', async () => {
    const url = await serve(transport, () => () => {})
    for (const server of servers.splice(0)) await server.close()
    const { reports, until } = watched(openerOf(transport), url)
    await until('closed')
    expect(reports).toEqual(['closed ECONNREFUSED'])
  })
})

test.each<Transport>(['mqtt', 'mqtts'])(
  'over %s end() closes the connection although the server does not read',
  async (transport) => {
    let connection: ByteConnection | undefined
    const url = await serve(transport, (made) => {
      connection = made
      made.raw.pause()
      return () => {}
    })
    const destroy = vi.spyOn(Socket.prototype, 'destroy')
    onTestFinished(() => destroy.mockRestore())
    const { socket, until } = watched(openerOf(transport), url)
    await until('opened')
    await expect.poll(() => connection).toBeDefined()
    socket.send(new Uint8Array(30_000_000))
    socket.end()
    await expect.poll(() => destroy.mock.calls.length).toBeGreaterThan(0)
  },
)

test('rejects an untrusted certificate', async () => {
  const url = await serve('mqtts', () => () => {})
  const { reports, until } = watched(
    tcpSockets?.({ ca: undefined }, MAX_UNSENT_BYTES) as QuotesSocketOpener,
    url,
  )
  await until('closed')
  expect(reports).toEqual(['closed DEPTH_ZERO_SELF_SIGNED_CERT'])
})

test('closes after an invalid close frame without ending the process', async () => {
  const url = await serve('ws', (connection) => () => {
    // Opcode 8 with ten bytes, of which the first two are the status 25209.
    connection.raw.write(Buffer.concat([Buffer.of(0x88, 10), Buffer.from('bye-bye!!!')]))
  })
  const { socket, reports, until } = watched(openerOf('ws'), url)
  await until('opened')
  socket.send(Uint8Array.of(1))
  await until('closed')
  expect(reports).toEqual(['opened', 'closed WS_ERR_INVALID_CLOSE_CODE'])
})

test('closes after a text message', async () => {
  const url = await serve('ws', (connection) => () => {
    // Opcode 1: a text message.
    connection.raw.write(Buffer.concat([Buffer.of(0x81, 2), Buffer.from('hi')]))
  })
  const { socket, reports, until } = watched(openerOf('ws'), url)
  await until('opened')
  socket.send(Uint8Array.of(1))
  await until('closed')
  expect(reports).toEqual(['opened', 'closed'])
})

test('reports an address that WebSocket rejects as closed', async () => {
  class Rejecting {
    constructor() {
      throw new SyntaxError('no')
    }
  }
  const { reports, until } = watched(webSockets(Rejecting as unknown as WebSocketClass), 'wss://host/mqtt')
  await until('closed')
  expect(reports).toEqual(['closed'])
})
