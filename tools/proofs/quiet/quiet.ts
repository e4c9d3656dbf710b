/**
 * `pnpm proof quiet`: idle streams and paused streams without data for seven minutes, on Python's grpcio with
 * its defaults, which closes a connection after three excess PINGs. The short form divides the server's limit
 * and the transport's intervals by 100.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { TradeEventService } from '@brokerwire/protos'
import { createSigner } from '@brokerwire/signer'
import { createStreams, type StreamItem, type StreamsOptions } from '@brokerwire/streams'
import { createStreamClient, createStreamTransport } from '@brokerwire/streams/transport'
import { type PingProxy, startPingProxy } from '@brokerwire/testing/ping-proxy'
import { toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import {
  GRPCIO_INSTALL,
  hasGrpcio,
  startPythonServer,
} from '../../../packages/streams/src/test/interop/grpcio-server.ts'
import type { Case, CaseContext, Figures, Proof } from '../harness.ts'

/** The full form uses the default intervals of the transport. */
const FULL = { silenceSeconds: 420, connection: {}, intervalMs: 30_000, serverOptions: [] }
const SHORT = {
  silenceSeconds: 12,
  connection: { keepAlive: { intervalMs: 300, idleIntervalMs: 3300 } },
  intervalMs: 300,
  serverOptions: [['grpc.http2.min_ping_interval_without_data_ms', 3000]],
}
type Pace = typeof FULL | typeof SHORT

const FLOOD = 1000
const DAY_MS = 86_400_000
const NEVER_SILENT = { heartbeatTimeoutMs: DAY_MS, maxHeartbeatTimeoutMs: DAY_MS }

interface Quiet extends Pick<CaseContext, 'check'> {
  readonly proxy: PingProxy
  readonly pace: Pace
}

function supervised({ proxy }: Quiet, account: string, options: Partial<StreamsOptions> = {}) {
  const streams = createStreams({
    signer: createSigner({ appKey: 'quiet', appSecret: 'quiet-secret' }),
    eventsUrl: proxy.url,
    ...options,
  })
  return streams.tradeEvents({ accounts: [account] })
}

function checkOneConnection({ proxy, check }: Quiet): void {
  check(proxy.connections === 1, `${proxy.connections} connections instead of one`)
}

const CASES: Readonly<Record<string, readonly [promise: string, run: (quiet: Quiet) => Promise<void>]>> = {
  'idle transport': [
    'a stream without data stays open, and the event at its end arrives',
    async (quiet) => {
      const { silenceSeconds, connection } = quiet.pace
      using transport = createStreamTransport({ baseUrl: quiet.proxy.url, ...connection })
      const client = createStreamClient(TradeEventService, transport)
      const types: number[] = []
      const request = { subscribeType: 1, accounts: [`speak-after:${silenceSeconds}`] }
      for await (const { eventType } of client.subscribe(request)) {
        types.push(eventType)
        if (types.length === 2) break
      }
      quiet.check(types.join() === '0,1024', `messages of the types ${types}`)
      checkOneConnection(quiet)
    },
  ],
  'idle, supervised': [
    'the same, for a stream of createStreams whose service sends no pings',
    async (quiet) => {
      const { silenceSeconds, connection } = quiet.pace
      const options = { connection, supervision: NEVER_SILENT }
      const kinds: string[] = []
      for await (const { kind } of supervised(quiet, `speak-after:${silenceSeconds}`, options)) {
        kinds.push(kind)
        if (kinds.length === 2) break
      }
      quiet.check(kinds.join() === 'subscribed,order', `items of the kinds ${kinds}`)
      checkOneConnection(quiet)
    },
  ],
  'paused, supervised': [
    'when a slow consumer pauses the service, no PINGs are sent at the short interval, and every event arrives later',
    async (quiet) => {
      const { proxy, check } = quiet
      const { silenceSeconds, connection, intervalMs } = quiet.pace
      const items: StreamItem[] = []
      for await (const item of supervised(quiet, `flood:${FLOOD}`, { connection })) {
        if (items.length === 1) {
          await sleep(silenceSeconds * 1000)
          // PINGs before the windows were full do not belong to the pause.
          const since = [proxy.lastDataMs, ...proxy.pingsMs.filter((at) => at > proxy.lastDataMs)]
          const fast = since.filter(
            (at, index) => index > 0 && at - (since[index - 1] ?? 0) < 2 * intervalMs,
          ).length
          check(fast === 0, `${fast} PINGs at the short interval during the pause`)
        }
        items.push(item)
        if (items.length === FLOOD + 1) break
      }
      const [first, ...events] = items
      check(first?.kind === 'subscribed', `the first item is ${first?.kind}`)
      const lost = events.findIndex((item, index) => item.kind !== 'order' || item.requestId !== `r${index}`)
      check(lost < 0, `item ${lost} is ${events[lost]?.kind}`)
      checkOneConnection(quiet)
    },
  ],
  'PING at every interval': [
    'the server closes the connection, the notice has the reason, and the interval doubles, which shows that the server counts PINGs',
    async (quiet) => {
      const { intervalMs } = quiet.pace
      const stream = supervised(quiet, 'nothing', {
        connection: { keepAlive: { intervalMs, idleIntervalMs: intervalMs } },
        supervision: NEVER_SILENT,
      })
      for await (const item of stream) {
        if (item.kind !== 'reconnecting') continue
        for (const words of ['GOAWAY with code 11', `every ${2 * intervalMs} ms`, 'too_many_pings'])
          quiet.check(item.message?.includes(words) === true, `"${words}" is not in "${item.message}"`)
        return
      }
      quiet.check(false, 'the stream ended')
    },
  ],
}

type PythonServer = Awaited<ReturnType<typeof startPythonServer>>

async function runCase(
  { check }: CaseContext,
  server: PythonServer,
  pace: Pace,
  run: (quiet: Quiet) => Promise<void>,
): Promise<Figures> {
  const proxy = await startPingProxy(server.url)
  try {
    await run({ check, proxy, pace })
    return { pingsAfterSeconds: proxy.pingsMs.map((ms) => (ms / 1000).toFixed(1)).join(' ') || 'none' }
  } finally {
    await proxy.close()
  }
}

export const proof: Proof = {
  cases({ short, atEnd }) {
    const pace = short ? SHORT : FULL
    let started: Promise<PythonServer> | undefined
    atEnd(async () => (await started)?.close())
    const start = (): Promise<PythonServer> => {
      if (!hasGrpcio()) throw new Error(`no grpcio for Python: ${GRPCIO_INSTALL}`)
      const file = toBinary(FileDescriptorProtoSchema, TradeEventService.file.proto)
      const files = [Buffer.from(file).toString('base64')]
      return startPythonServer(new URL('server.py', import.meta.url), { files, options: pace.serverOptions })
    }
    return Object.entries(CASES).map(
      ([name, [promise, run]]): Case => ({
        name,
        promise,
        // Each case has its own group, because the cases wait most of the time.
        group: name,
        async run(context) {
          started ??= start()
          return runCase(context, await started, pace, run)
        },
      }),
    )
  },
}
