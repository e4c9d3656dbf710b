/** Tunnels through real proxies. The target is a server that echoes bytes. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { inspect } from 'node:util'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type ProxyOptions, type RealProxy, startSquid, startTinyproxy } from '@brokerwire/testing/proxies'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isCoreError } from '../core-error.ts'
import { findProxy, type HttpProxy } from './address.ts'
import { openTunnel } from './tunnel.ts'

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const echo = () => listen((socket) => socket.pipe(socket))

function proxyAt(url: string, source = 'HTTPS_PROXY'): HttpProxy {
  const proxy = findProxy(() => ({ url, source }), 'https://any.example')
  if (proxy === undefined) throw new Error('no proxy')
  return proxy
}

async function failure(opening: Promise<Duplex>): Promise<Record<string, unknown>> {
  const error = await opening.then(
    () => new Error('it was opened'),
    (reason: unknown) => reason,
  )
  if (!isCoreError(error)) throw error
  // No form of the error contains the password.
  for (const text of [inspect(error, { depth: 9 }), JSON.stringify(error)]) {
    expect(text).not.toContain('opensesame')
    expect(text).not.toContain(Buffer.from('ali:opensesame').toString('base64').slice(0, 12))
  }
  const { code, message, retryable, details } = error
  return { code, message, retryable, ...details }
}

async function echoed(socket: Duplex, text: string): Promise<string> {
  onTestFinished(() => void socket.destroy())
  socket.write(text)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString()
}

const CREDENTIALS = { user: 'ali', password: 'opensesame' }
const USER_INFO = `${CREDENTIALS.user}:${CREDENTIALS.password}`
const PROXIES: Record<'squid' | 'tinyproxy', (options?: ProxyOptions) => Promise<RealProxy>> = {
  squid: startSquid,
  tinyproxy: startTinyproxy,
}

describe.each(['squid', 'tinyproxy'] as const)('%s', (name) => {
  const start = PROXIES[name]
  const { skip, note } = needs(name)
  describe.skipIf(skip)(`as a process${note}`, REAL_SERVERS, () => {
    test('carries bytes both ways', async () => {
      const [proxy, port] = [await start(), await echo()]
      const socket = await openTunnel({ proxy: proxyAt(proxy.url), hostname: '127.0.0.1', port })
      expect(await echoed(socket, 'hello')).toBe('hello')
      // Squid writes the line of its log when the tunnel ends.
      socket.destroy()
      await expect.poll(proxy.log).toContain(`CONNECT 127.0.0.1:${port}`)
    })

    test('a user and a password', async () => {
      const [proxy, port] = [await start({ credentials: CREDENTIALS }), await echo()]
      const through = (userInfo: string) =>
        openTunnel({
          proxy: proxyAt(proxy.url.replace('://', `://${userInfo}`)),
          hostname: '127.0.0.1',
          port,
        })
      expect(await echoed(await through(`${USER_INFO}@`), 'hello')).toBe('hello')
      const target = `127.0.0.1:${port}`
      const refused = {
        code: 'PROXY_REFUSED',
        status: 407,
        retryable: false,
        proxy: proxy.url,
        source: 'HTTPS_PROXY',
        target,
      }
      const beginning = `the proxy ${proxy.url} (HTTPS_PROXY) refused the connection to ${target} with status 407. `
      expect(await failure(through(''))).toEqual({
        ...refused,
        message: `${beginning}It asks for a user and a password: put them into HTTPS_PROXY, as http://user:password@host:port`,
      })
      // The first attempt with this name waits until squid's helper has started.
      expect(await failure(through('ali:opensesame2@'))).toMatchObject({
        status: name === 'squid' ? 407 : expect.any(Number),
        retryable: false,
      })
    })

    test('a proxy that refuses', async () => {
      const [proxy, port] = [await start({ refuses: true }), await echo()]
      const refused = await failure(openTunnel({ proxy: proxyAt(proxy.url), hostname: '127.0.0.1', port }))
      expect(refused).toMatchObject({ code: 'PROXY_REFUSED', status: 403, retryable: false })
      expect(refused.message).toMatch(/with status 403\. Ask who runs the proxy to allow this host and port/)
    })

    test('a target that is not there: another attempt may succeed', async () => {
      const [proxy, port] = [await start(), await listen(() => {})]
      const gone = port === 1 ? 2 : 1
      const refused = await failure(
        openTunnel({ proxy: proxyAt(proxy.url), hostname: '127.0.0.1', port: gone }),
      )
      expect(refused).toMatchObject({ code: 'PROXY_REFUSED', retryable: true })
      expect(refused.status).toBeGreaterThanOrEqual(500)
    })
  })
})

test('a proxy that never answers: the time limit names it', async () => {
  const closed: Promise<unknown>[] = []
  const port = await listen((socket) => {
    socket.resume()
    closed.push(once(socket, 'close'))
  })
  const proxy = proxyAt(`http://127.0.0.1:${port}`, 'https_proxy')
  const target = { proxy, hostname: 'api.example.com', port: 443 }
  expect(await failure(openTunnel({ ...target, timeoutMs: 200 }))).toEqual({
    code: 'PROXY_UNREACHABLE',
    message: `no connection to api.example.com:443 through the proxy http://127.0.0.1:${port} (https_proxy): ETIMEDOUT. Check that https_proxy is the address of a proxy that runs`,
    retryable: true,
    proxy: `http://127.0.0.1:${port}`,
    source: 'https_proxy',
    target: 'api.example.com:443',
    reason: 'ETIMEDOUT',
  })
  const stop = new AbortController()
  const stopped = openTunnel({ ...target, signal: stop.signal })
  await expect.poll(() => closed.length).toBe(2)
  stop.abort('enough')
  await expect(stopped).rejects.toBe('enough')
  await Promise.all(closed)
})

test.each<[string, string | undefined, RegExp]>([
  ['nothing listens', undefined, /^ECONNREFUSED$/],
  ['it hangs up', '', /^ECONNRESET$/],
  ['it is no HTTP server', 'SSH-2.0-OpenSSH_9\r\n\r\n', /^HPE_/],
  ['endless headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}`, /^HPE_HEADER_OVERFLOW$/],
])('no answer to CONNECT: %s', async (_, answer, reason) => {
  const port =
    answer === undefined ? 1 : await listen((socket) => socket.once('data', () => socket.end(answer)))
  const opening = openTunnel({
    proxy: proxyAt(`http://${USER_INFO}@127.0.0.1:${port}`),
    hostname: 'api.example.com',
    port: 443,
  })
  expect(await failure(opening)).toMatchObject({
    code: 'PROXY_UNREACHABLE',
    retryable: true,
    reason: expect.stringMatching(reason),
  })
})

test('bytes of the target that arrive with the response of the proxy are not lost', async () => {
  const port = await listen((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 200 Connection established\r\n\r\nearly')),
  )
  const socket = await openTunnel({
    proxy: proxyAt(`http://127.0.0.1:${port}`),
    hostname: '::1',
    port: 443,
  })
  onTestFinished(() => void socket.destroy())
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  expect(bytes.toString()).toBe('early')
})

test('the target is an IPv6 address: brackets, and the password only in its own header', async () => {
  let head = ''
  const port = await listen((socket) =>
    socket.once('data', (bytes) => {
      head = bytes.toString()
      socket.end('HTTP/1.1 503 no\r\n\r\n')
    }),
  )
  const proxy = proxyAt(`http://al%C3%AD:p%40ss%3A@127.0.0.1:${port}`)
  expect(await failure(openTunnel({ proxy, hostname: '2001:db8::1', port: 443 }))).toMatchObject({
    status: 503,
    target: '[2001:db8::1]:443',
  })
  const basic = Buffer.from('alí:p@ss:').toString('base64')
  expect(head.split('\r\n').slice(0, 3)).toEqual([
    'CONNECT [2001:db8::1]:443 HTTP/1.1',
    'host: [2001:db8::1]:443',
    `proxy-authorization: Basic ${basic}`,
  ])
})
