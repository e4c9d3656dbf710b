/**
 * Aborts and time limits on Node, where `fetch` gets no signal, because a signal costs more than a tenth of a request. The connection
 * still ends at once.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createVirtualClock } from '@brokerwire/core/testing'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpClient } from '../index.ts'
import { rejection, testOptions } from '../test/fixtures.ts'

const GET = { method: 'GET', path: '/x' } as const

/** A server whose requests get their responses from the test. */
async function openServer() {
  const service = await startHttpServer(() => {})
  onTestFinished(() => service.close())
  return service
}

test.each(['before its headers', 'within its body'])(
  'a caller that aborts a request ends its connection %s',
  async (when) => {
    const { server, url } = await openServer()
    const client = createHttpClient(testOptions(url))
    const controller = new AbortController()
    const arrived = once(server, 'request')
    const ended = rejection(client.request({ ...GET, signal: controller.signal }))
    const [, response] = (await arrived) as [unknown, ServerResponse]
    const closed = once(response, 'close')
    if (when === 'within its body') {
      response.write('{')
      // The client must have received the headers before the abort.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    controller.abort('enough')
    expect(await ended).toBe('enough')
    await closed
    expect(response.writableFinished).toBe(false)
  },
)

test('a request that times out ends its connection', async () => {
  const { server, url } = await openServer()
  const clock = createVirtualClock()
  const client = createHttpClient(testOptions(url, { clock, maxRetries: 0, timeoutMs: 1000 }))
  const arrived = once(server, 'request')
  const ended = rejection(client.request(GET))
  const [, response] = (await arrived) as [unknown, ServerResponse]
  const closed = once(response, 'close')
  await clock.advance(1000)
  expect(await ended).toMatchObject({ code: 'HTTP_TIMEOUT', details: { phase: 'headers', sentOnce: true } })
  await closed
})

test('a replacement of the host\u2019s fetch receives a signal', async () => {
  const { server, url } = await openServer()
  server.on('request', (_request, response: ServerResponse) => response.end('{}'))
  const own = globalThis.fetch
  const signals: unknown[] = []
  globalThis.fetch = (input, init) => {
    signals.push(init?.signal)
    return own(input, init)
  }
  onTestFinished(() => {
    globalThis.fetch = own
  })
  const client = createHttpClient(testOptions(url))
  await client.request(GET)
  globalThis.fetch = (input, init) => {
    signals.push(init?.signal)
    return own(input, init)
  }
  await client.request(GET)
  expect(signals.map((signal) => signal instanceof AbortSignal)).toEqual([true, true])
})
