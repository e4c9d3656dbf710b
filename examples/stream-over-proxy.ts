/**
 * Trade events through an HTTP proxy: `HTTPS_PROXY` names it, as for other programs, for example
 * `http://proxy.internal:3128`. The proxy sees where the connection goes to, and bytes; TLS is between this program and
 * the service, and is laid over the tunnel by the transport.
 */
import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { createSigner } from '@brokerwire/signer'
import { createStreams } from '@brokerwire/streams'
import type { CreateConnection } from '@brokerwire/streams/transport'
import { endWith } from './end-with.ts'
import { readSettings, SettingError } from './settings.ts'

/** Opens a tunnel by CONNECT (RFC 9110, section 9.3.6), with the user and password of the proxy's address, if any. */
function throughProxy(proxy: URL): CreateConnection {
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
  return (url, { signal }) =>
    new Promise<Duplex>((resolve, reject) => {
      const target = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
      const opening = request({
        method: 'CONNECT',
        host: proxy.hostname,
        port: proxy.port || 80,
        path: target,
        headers: { host: target, ...(proxy.username !== '' && authorization) },
        // A pooled connection would wait for others; a tunnel is nobody else's afterwards.
        agent: false,
        signal,
      })
      opening.once('connect', ({ statusCode }, socket, early) => {
        if (statusCode === 200) {
          socket.setKeepAlive(true, 30_000)
          // What the service said right behind the proxy's answer.
          if (early.length > 0) socket.unshift(early)
          resolve(socket)
          return
        }
        socket.destroy()
        reject(new Error(`the proxy answered ${statusCode} to CONNECT`))
      })
      opening.once('error', reject)
      opening.end()
    })
}

try {
  const { HTTPS_PROXY, BROKERWIRE_ACCOUNTS = '' } = process.env
  if (!HTTPS_PROXY)
    throw new SettingError('HTTPS_PROXY is not set: the address of the proxy, http://host:port')
  if (!URL.canParse(HTTPS_PROXY)) throw new SettingError('HTTPS_PROXY: expected an address, http://host:port')
  const { appKey, appSecret, overrides } = readSettings()

  await using streams = createStreams({
    signer: createSigner({ appKey, appSecret }),
    eventsUrl: overrides.eventsUrl,
    connection: { createConnection: throughProxy(new URL(HTTPS_PROXY)) },
  })
  const events = streams.tradeEvents({
    accounts: BROKERWIRE_ACCOUNTS.split(',').filter((account) => account !== ''),
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => events.return())

  for await (const item of events) {
    if (item.type === 'event') console.log(`${item.kind} event`)
    else if (item.kind === 'reconnecting') console.log(`-- reconnecting: ${item.message ?? item.reason}`)
    else console.log(`-- ${item.kind}`)
  }
} catch (error) {
  endWith(error)
}
