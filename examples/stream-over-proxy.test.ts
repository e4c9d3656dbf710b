/** The example for HTTP proxies, with a plain and with a TLS target. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSelfSignedCertificate, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { startConnectProxy } from '@brokerwire/testing/connect-proxy'
import { expect, onTestFinished, test } from 'vitest'
import { runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

async function start(options: SimulatorOptions = {}) {
  const simulator = await startSimulator({ environment: 'sandbox', ...options })
  onTestFinished(() => simulator.close())
  return simulator
}

/** Runs the program until it has printed an event. */
async function follow(simulator: Awaited<ReturnType<typeof start>>, env: Record<string, string>) {
  const example = runExample('stream-over-proxy.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_ACCOUNTS: simulator.accounts.join(),
    ...env,
  })
  await example.line(/^-- subscribed$/)
  simulator.emitOrder()
  await example.line(/^order event$/)
  example.stop()
  expect(await example.ended).toBe(0)
}

test('events arrive in plain text through the tunnel', async () => {
  const [simulator, proxy] = [await start(), await startConnectProxy()]
  await follow(simulator, { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` })
  expect(proxy.targets).toEqual([new URL(simulator.eventsUrl).host])
  expect(String(proxy.beginnings[0])).toMatch(/^PRI \* HTTP\/2/)
})

test('events arrive over TLS through a proxy with a password', async () => {
  const tls = createSelfSignedCertificate()
  const directory = await mkdtemp(join(tmpdir(), 'brokerwire-examples-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const authority = join(directory, 'authority.pem')
  await writeFile(authority, String(tls.cert))
  const [simulator, proxy] = [await start({ tls }), await startConnectProxy('me:p@ss')]
  await follow(simulator, {
    HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: authority,
  })
  expect(proxy.targets).toEqual([new URL(simulator.eventsUrl).host])
  // The proxy sees a TLS handshake, but not HTTP/2 or the request.
  expect(proxy.beginnings[0]?.[0]).toBe(0x16)
})

test('a rejection by the proxy is reported, and the program tries again', async () => {
  const [simulator, proxy] = [await start(), await startConnectProxy('me:secret')]
  const example = runExample('stream-over-proxy.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_ACCOUNTS: simulator.accounts.join(),
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
  })
  await example.line(/^-- reconnecting: the proxy http:\/\/127\.0\.0\.1:\d+ .* with status 407\./)
  expect(proxy.targets).toEqual([])
  example.stop()
  expect(await example.ended).toBe(0)
})
