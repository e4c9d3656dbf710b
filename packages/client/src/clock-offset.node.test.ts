/** A host whose clock is wrong: the first response that rejects a timestamp corrects it, for HTTP and for streams. */
import { isCoreError, systemClock } from '@brokerwire/core'
import { isHttpError } from '@brokerwire/http'
import { isStreamsError } from '@brokerwire/streams'
import { expect, test } from 'vitest'
import { rejection, startSetUp, wrongClock } from './test/set-up.ts'

const ECHO = '/openapi/simulator/echo'

test.each([
  ['late', -600_000],
  ['early', 600_000],
])('a clock that is ten minutes %s costs one rejected request and one retry', async (_name, offsetMs) => {
  const setUp = await startSetUp({ environment: 'sandbox' })
  const { http, clientTokens } = setUp.open({ clock: wrongClock(systemClock, offsetMs) })
  expect((await http.request({ method: 'POST', path: ECHO, json: {} })).status).toBe(200)
  expect((await http.request({ method: 'POST', path: ECHO, json: {} })).status).toBe(200)
  await clientTokens.get('anna')
  expect(setUp.simulator.requests().map(({ errorCode }) => errorCode)).toEqual([
    'ILLEGAL_TIMESTAMP',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('after a response with a wrong time one retry follows, and its error reaches the caller', async () => {
  const setUp = await startSetUp({ environment: 'sandbox' })
  const { http } = setUp.open()
  await http.request({ method: 'GET', path: ECHO })
  const body = JSON.stringify({ error_code: 'ILLEGAL_TIMESTAMP', message: 'no' })
  const headers = { date: new Date(Date.now() + 900_000).toUTCString() }
  setUp.simulator.faults.nextHttp({ kind: 'respond', status: 401, body, headers }, { path: ECHO })
  const error = await rejection(http.request({ method: 'POST', path: ECHO, json: {} }))
  expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.details.serviceCode).toBe('ILLEGAL_TIMESTAMP')
  // The response to the retry had the right time, so the offset was corrected.
  expect((await http.request({ method: 'POST', path: ECHO, json: {} })).status).toBe(200)
})

test('streams use the clock offset that an HTTP response has set, and set it themselves', async () => {
  const setUp = await startSetUp({ environment: 'sandbox' })
  const clock = wrongClock(systemClock, 600_000)
  for (const syncBefore of [true, false]) {
    const brokerage = setUp.open({ clock })
    if (syncBefore) await brokerage.http.request({ method: 'GET', path: ECHO })
    const stream = brokerage.tradeEvents({ accounts: setUp.simulator.accounts })
    for await (const item of stream) if (item.kind === 'subscribed') break
  }
  const rejections = setUp.simulator
    .requests()
    .filter(({ protocol }) => protocol === 'grpc')
    .map(({ errorCode }) => errorCode === undefined)
  expect(rejections).toEqual([true, false, true])
})

const DECADES_MS = 30 * 365 * 86_400_000

test('if the clock of the service is wrong by decades, the error names the clock, for HTTP and for streams', async () => {
  const setUp = await startSetUp({ environment: 'sandbox' })
  const brokerage = setUp.open({ clock: wrongClock(systemClock, -DECADES_MS) })
  const request = { method: 'POST', path: ECHO, json: {}, authenticated: false } as const
  const error = await rejection(brokerage.http.request(request))
  expect(isHttpError(error, 'HTTP_CLOCK_IMPLAUSIBLE')).toBe(true)
  const read = async (): Promise<void> => {
    for await (const _ of brokerage.tradeEvents({ accounts: setUp.simulator.accounts }));
  }
  const ended = await rejection(read())
  if (!isStreamsError(ended, 'STREAM_AUTH_REJECTED')) throw ended
  expect(isCoreError(ended.cause, 'CLOCK_IMPLAUSIBLE')).toBe(true)
})

test('maxClockOffsetMs allows more', async () => {
  const setUp = await startSetUp({ environment: 'sandbox' })
  const { http } = setUp.open({
    clock: wrongClock(systemClock, -DECADES_MS),
    maxClockOffsetMs: 2 * DECADES_MS,
  })
  expect((await http.request({ method: 'POST', path: ECHO, json: {} })).status).toBe(200)
})
