/** A local service and a client of it, with a virtual clock. */
import { expect } from 'vitest'
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpError,
  isHttpError,
} from '../index.ts'
import { rejection, testOptions, watchedClock } from './fixtures.ts'
import type { Received, Reply } from './reply.ts'
import { type Service, startService } from './service.ts'

/** Starts the service and creates the client. */
export async function setUp(
  more: Partial<HttpClientOptions> = {},
): Promise<{ service: Service; client: HttpClient } & ReturnType<typeof watchedClock>> {
  const service = await startService()
  const watched = watchedClock()
  const { clock, observer } = watched
  const client = createHttpClient(testOptions(service.url, { clock, observer, ...more }))
  return { service, client, ...watched }
}

/** The last received request. */
export async function last(service: Service): Promise<Received> {
  const received = (await service.received()).at(-1)
  if (received === undefined) throw new Error('expected a request')
  return received
}

/** The error of a request that gets this reply. */
export async function failWith(reply: Reply, more: Partial<HttpClientOptions> = {}): Promise<HttpError> {
  const { service, client } = await setUp({ maxRetries: 0, ...more })
  await service.reply(reply)
  const error = await rejection(client.request({ method: 'GET', path: '/x' }))
  if (!isHttpError(error)) throw error
  // The client and the service stay usable after each failure.
  await service.reply({ json: { ok: true } })
  expect((await client.request({ method: 'GET', path: '/x' })).json()).toEqual({ ok: true })
  return error
}
