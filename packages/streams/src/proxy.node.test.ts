/** Streams through real proxies: HTTP/2 over TLS in a tunnel, and refused connections. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { proxyFromEnvironment } from '@brokerwire/core/proxy'
import { createSigner } from '@brokerwire/signer'
import { createSelfSignedCertificate, startSimulator } from '@brokerwire/simulator'
import { startConnectProxy } from '@brokerwire/testing/connect-proxy'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type ProxyOptions, startSquid, startTinyproxy } from '@brokerwire/testing/proxies'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createStreams, type StreamNotice, type StreamsOptions } from './index.ts'

const SERVICE = 'https://events.example'

function open(
  options: Partial<StreamsOptions>,
  credentials: Parameters<typeof createSigner>[0] = { appKey: 'key', appSecret: 'secret' },
) {
  const streams = createStreams({ signer: createSigner(credentials), ...options })
  onTestFinished(() => streams.close())
  return streams
}

/** Subscribes, and returns the kinds of the first item and of the event after it. */
async function follow(proxy: string, isSecure: boolean): Promise<string> {
  const tls = isSecure ? createSelfSignedCertificate() : undefined
  const simulator = await startSimulator({ environment: 'sandbox', ...(tls && { tls }) })
  onTestFinished(() => simulator.close())
  const { credentials, eventsUrl, accounts } = simulator
  const streams = open(
    { eventsUrl, connection: { proxy, ...(tls && { tls: { ca: tls.cert } }) } },
    credentials,
  )
  for await (const item of streams.tradeEvents({ accounts })) {
    if (item.type === 'event') break
    if (item.kind === 'subscribed') simulator.emitOrder()
  }
  return new URL(eventsUrl).host
}

/** Returns the notice of the first failed attempt. */
async function firstFailure(connection: StreamsOptions['connection']) {
  const streams = open({ eventsUrl: SERVICE, connection })
  for await (const item of streams.tradeEvents({ accounts: ['one'] })) {
    expect(inspect(item, { depth: 9 })).not.toContain('opensesame')
    if (item.kind === 'reconnecting') return item satisfies StreamNotice
  }
  throw new Error('the stream ended')
}

test.each([true, false])('connects through a tunnel of the proxy (TLS: %s)', async (isSecure) => {
  const proxy = await startConnectProxy('me:p@ss')
  const host = await follow(`http://me:p%40ss@127.0.0.1:${proxy.port}`, isSecure)
  expect(proxy.targets).toEqual([host])
  const [first] = proxy.beginnings
  if (isSecure) expect(first?.[0]).toBe(0x16)
  else expect(String(first)).toMatch(/^PRI \* HTTP\/2/)
})

const { skip, note } = needs('squid', 'tinyproxy')
describe.skipIf(skip)(`squid and tinyproxy${note}`, REAL_SERVERS, () => {
  const credentials = { user: 'ali', password: 'opensesame' }

  test.each([startSquid, startTinyproxy])('connects through %o with a user and a password', async (start) => {
    const { url } = await start({ credentials })
    await follow(url.replace('://', `://${credentials.user}:${credentials.password}@`), true)
  })

  test.each<[string, ProxyOptions, number]>([
    ['refuses', { refuses: true }, 403],
    ['asks for a password', { credentials }, 407],
  ])(
    'the notice of a proxy that %s has the proxy, the variable and the status',
    async (_, options, status) => {
      const { url } = await startTinyproxy(options)
      const notice = await firstFailure({ proxy: proxyFromEnvironment({ https_proxy: url }) })
      expect(notice).toMatchObject({ systemCode: 'PROXY_REFUSED', status: 'unavailable' })
      expect(notice.message).toContain(
        `the proxy ${url} (https_proxy) refused the connection to events.example:443 with status ${status}. `,
      )
    },
  )
})

test('the notice of a proxy that does not respond names it, and the socket is closed', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.resume())).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy = `http://${['ali', 'opensesame'].join(':')}@127.0.0.1:${port}`
  const notice = await firstFailure({ proxy, connectTimeoutMs: 400 })
  expect(notice).toMatchObject({ systemCode: 'PROXY_UNREACHABLE', status: 'unavailable' })
  expect(notice.message).toContain(
    `through the proxy http://127.0.0.1:${port} (the option "proxy"): ETIMEDOUT`,
  )
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true)
})

test('connects directly to a host in NO_PROXY', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const { credentials, eventsUrl, accounts } = simulator
  const proxy = proxyFromEnvironment({ ALL_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' })
  for await (const item of open({ eventsUrl, connection: { proxy } }, credentials).tradeEvents({
    accounts,
  })) {
    expect(item.kind).toBe('subscribed')
    break
  }
})

test.each<[string, object, RegExp]>([
  [
    'SOCKS',
    { proxy: 'socks5://host:1' },
    /^connection\.proxy must be .*; received an address with the scheme socks5:$/,
  ],
  [
    'two ways',
    { proxy: 'http://host:1', createConnection: () => {} },
    /^connection\.proxy must be undefined if/,
  ],
])('rejects invalid options: %s', (_, connection, message) => {
  expect(() => open({ eventsUrl: SERVICE, connection })).toThrow(
    expect.objectContaining({ code: 'STREAM_OPTION_INVALID', message: expect.stringMatching(message) }),
  )
})
