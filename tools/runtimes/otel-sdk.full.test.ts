/** `@brokerwire/otel` with two versions of OpenTelemetry's SDK, each on a Node that it supports: real requests, and reports of a stream. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { runOrThrow } from '../ci/lib/run.ts'
import { ROOT } from '../ci/lib/workspace.ts'
import { installEngines, nodeBinary } from './engines.ts'

const ENGINES = join(ROOT, 'tools/runtimes/engines')
const OTEL = join(ROOT, 'packages/otel')

const PROGRAM = `
import { createServer } from 'node:http'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { createHttpClient } from '@brokerwire/http'
import { createTelemetry } from '@brokerwire/otel'
import { createSigner } from '@brokerwire/signer'

class MemoryReader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}
const ended = []
const processor = { onStart() {}, onEnd: (span) => ended.push(span), async forceFlush() {}, async shutdown() {} }
const reader = new MemoryReader()
const telemetry = createTelemetry({
  tracerProvider: new TracerProvider({ spanProcessors: [processor] }),
  meterProvider: new MeterProvider({ readers: [reader] }),
})
const server = createServer((request, response) => {
  response.writeHead(request.url === '/fails' ? 503 : 200, { 'content-type': 'application/json' }).end('{}')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const http = createHttpClient({
  baseUrl: 'http://127.0.0.1:' + server.address().port,
  signer: createSigner({ appKey: 'key', appSecret: 'secret' }),
  observer: telemetry.observer,
  maxRetries: 0,
})
const request = { method: 'GET', authenticated: false }
await http.request({ ...request, path: '/works', operation: 'works' })
await http.request({ ...request, path: '/fails', operation: 'fails' }).catch(() => {})
server.close()
server.closeAllConnections()

const source = { streamId: 'orders', stream: 'trade' }
const { observer } = telemetry
observer.onStreamAttempt({ ...source, attempt: 1, origin: 'https://events.example' })
observer.onStreamState({ ...source, phase: 'live' })
observer.onStreamNotice({ ...source, notice: { kind: 'subscribed' } })
observer.onStreamBatch({ ...source, events: 3, duplicates: 1, filtered: 0, undecodable: 0, bytes: 90, newestLagMs: 5, queueDepth: 3 })
observer.onStreamNotice({ ...source, notice: { kind: 'gap', cause: 'disconnected', fromMs: 0, toMs: 2000 } })
observer.onStreamState({ ...source, phase: 'ended' })

const { resourceMetrics } = await reader.collect()
const value = (point) => (typeof point.value === 'number' ? point.value : { count: point.value.count })
console.log(JSON.stringify({
  spans: ended.map(({ name, kind, status }) => [name, kind, status.code]),
  metrics: Object.fromEntries(
    resourceMetrics.scopeMetrics[0].metrics.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints.map(value)]),
  ),
}))
`

/** The versions of the SDK: their Node, their folder, and the import of the tracer provider. */
const SDKS = [
  {
    name: 'SDK 2 on Node 20',
    node: nodeBinary('20'),
    folder: OTEL,
    tracer: "{ BasicTracerProvider as TracerProvider } from '@opentelemetry/sdk-trace-base'",
  },
  {
    name: 'SDK 3 on Node 24',
    node: nodeBinary('24'),
    folder: ENGINES,
    tracer: "{ TracerProvider } from '@opentelemetry/sdk-trace'",
  },
]

beforeAll(
  () =>
    installEngines(
      [...SDKS.map(({ node }) => node), join(ENGINES, 'node_modules/@opentelemetry/sdk-trace')],
      true,
    ),
  600_000,
)

test.each(SDKS)('$name exports the spans and the metrics', async ({ node, folder, tracer }) => {
  const { outputFiles } = await build({
    stdin: { contents: `import ${tracer}\n${PROGRAM}`, resolveDir: folder, loader: 'js' },
    alias: {
      '@opentelemetry/api': join(folder, 'node_modules/@opentelemetry/api'),
      '@brokerwire/http': join(ROOT, 'packages/http/src/index.ts'),
      '@brokerwire/otel': join(OTEL, 'src/index.ts'),
      '@brokerwire/signer': join(ROOT, 'packages/signer/src/index.ts'),
    },
    conditions: ['@brokerwire/source'],
    platform: 'node',
    format: 'esm',
    // The SDK is CommonJS and requires modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    bundle: true,
    write: false,
  })
  const temporary = mkdtempSync(join(tmpdir(), 'brokerwire-otel-'))
  onTestFinished(() => rmSync(temporary, { recursive: true }))
  const program = join(temporary, 'program.mjs')
  writeFileSync(program, outputFiles[0]?.text ?? '')
  const { spans, metrics } = JSON.parse(await runOrThrow(node, [program]))
  expect(spans).toEqual([
    ['GET works', 2, 0],
    ['GET fails', 2, 2],
    ['grpc.trade.event.EventService/Subscribe', 2, 0],
  ])
  expect(metrics).toMatchObject({
    'http.client.request.duration': [{ count: 1 }, { count: 1 }],
    'brokerwire.stream.events': [3],
    'brokerwire.stream.discarded': [1],
    'brokerwire.stream.gap': [{ count: 1 }],
    'brokerwire.stream.notices': [1, 1],
    'brokerwire.stream.queue.depth': [0],
    'brokerwire.stream.state': [0, 1],
  })
})
