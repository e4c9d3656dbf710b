/**
 * The client. It measures the CPU time of its process for blocks of requests, in microseconds per request.
 */
import { createHttpClient } from '@brokerwire/http'
import { listPositions } from '@brokerwire/operations'
import { createTelemetry } from '@brokerwire/otel'
import { createSigner } from '@brokerwire/signer'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { concurrently } from '../../ci/lib/concurrently.ts'
import { interleave } from '../benchmark.ts'
import { collectGarbage } from '../rounds.ts'
import { APP_KEY, APP_SECRET, PATH, QUERY, SEARCH } from '../sign/request.ts'

const TOKEN = 'b7e2f1c09a8d4c53916e07f2a1d8c4e3'
const CONCURRENCY = 16
const WARM_UPS = 4

type Send = (signal?: AbortSignal) => Promise<unknown>

/** Creates a bare `fetch` that sends as many headers as a signed request. */
function createFetch(origin: string): Send {
  const headers = {
    accept: 'application/json',
    'x-version': 'v2',
    'x-app-key': APP_KEY,
    'x-timestamp': '2026-01-01T00:00:00Z',
    'x-signature-version': '1.0',
    'x-signature-algorithm': 'HMAC-SHA1',
    'x-signature-nonce': '48ef5afed43d4d91ae514aaeafbc29ba',
    'x-signature': 'kvlS6opdZDhEBo5jq40nHYXaLvM=',
    'x-access-token': TOKEN,
  }
  return async () => (await fetch(`${origin}${PATH}?${SEARCH}`, { headers: { ...headers } })).json()
}

function createRequest(baseUrl: string): Send {
  const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
  const http = createHttpClient({ baseUrl, signer })
  const request = { method: 'GET', path: PATH, query: QUERY, accessToken: TOKEN } as const
  return async (signal) => (await http.request({ ...request, signal })).json()
}

/** Creates a request whose reports become spans and metrics of OpenTelemetry's SDK. No exporter is set. */
function createTracedRequest(baseUrl: string): Send {
  const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
  const { observer } = createTelemetry({
    tracerProvider: new BasicTracerProvider(),
    meterProvider: new MeterProvider(),
  })
  const http = createHttpClient({ baseUrl, signer, observer })
  const request = { method: 'GET', path: PATH, query: QUERY, accessToken: TOKEN } as const
  return async () => (await http.request({ ...request })).json()
}

const ACCOUNT = 'K8V5PQ2MD1T7XW3JZ6RA'

/**
 * Creates two functions: one sends the request of an operation, the other one sends the same request by its
 * path.
 */
function createOperationRequests(baseUrl: string): { readonly operation: Send; readonly byPath: Send } {
  const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
  const http = createHttpClient({ baseUrl, signer })
  const input = { accountId: ACCOUNT }
  const { path, apiVersion, query } = listPositions.createRequest(input, { pathFamily: 'current' })
  const request = { method: 'GET', path, apiVersion, query, accessToken: TOKEN } as const
  return {
    operation: async () => (await http.request(listPositions, { ...input }, { accessToken: TOKEN })).data,
    byPath: async () => (await http.request({ ...request })).json(),
  }
}

async function measure(origin: string, rounds: number, requests: number): Promise<Record<string, number[]>> {
  const [bare, request] = [createFetch(origin), createRequest(origin)]
  const traced = createTracedRequest(origin)
  const { operation, byPath } = createOperationRequests(origin)
  const cases: Record<string, readonly [send: Send, withSignal: boolean, concurrency: number]> = {}
  for (const concurrency of [1, CONCURRENCY]) {
    cases[`fetch, ${concurrency} at a time`] = [bare, false, concurrency]
    cases[`request, ${concurrency} at a time`] = [request, false, concurrency]
    cases[`request with telemetry, ${concurrency} at a time`] = [traced, false, concurrency]
    cases[`request with a signal, ${concurrency} at a time`] = [request, true, concurrency]
    cases[`request by path, ${concurrency} at a time`] = [byPath, false, concurrency]
    cases[`operation, ${concurrency} at a time`] = [operation, false, concurrency]
  }
  return interleave(
    cases,
    rounds,
    async ([send, withSignal, concurrency]) => {
      // The signals are created before the measurement starts, because creating them is the caller's work and
      // not a part of a request.
      const signals = Array.from({ length: requests }, () =>
        withSignal ? new AbortController().signal : undefined,
      )
      await concurrently(new Array(concurrency).fill(undefined), concurrency, send)
      collectGarbage()
      const before = process.cpuUsage()
      await concurrently(signals, concurrency, send)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / requests
    },
    WARM_UPS,
  )
}

const commands = { measure }
export type ClientCommands = typeof commands
serveCalls(commands)
