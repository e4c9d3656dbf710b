/**
 * Prints trade events through the HTTP proxy in `HTTPS_PROXY`, for example `http://proxy.internal:3128`. The proxy sees only the host and
 * port of the service, because TLS is between this program and the service.
 *
 * Every connection uses the proxy. `proxyFromEnvironment(process.env)` of `@brokerwire/core/proxy` also reads `NO_PROXY`.
 */
import { createSigner } from '@brokerwire/signer'
import { createStreams } from '@brokerwire/streams'
import { endWith } from './end-with.ts'
import { readSettings, SettingError } from './settings.ts'

try {
  const { HTTPS_PROXY, BROKERWIRE_ACCOUNTS = '' } = process.env
  if (!HTTPS_PROXY)
    throw new SettingError('HTTPS_PROXY is not set: the address of the proxy, http://host:port')
  const { appKey, appSecret, overrides } = readSettings()

  await using streams = createStreams({
    signer: createSigner({ appKey, appSecret }),
    eventsUrl: overrides.eventsUrl,
    connection: { proxy: HTTPS_PROXY },
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
