/** Streams on which nothing comes for long, on a server that counts PINGs: what each promises, and a run that checks it. */
import { TradeEventService } from '@brokerwire/protos'
import { createSigner } from '@brokerwire/signer'
import { createStreams, type StreamItem, type StreamsOptions } from '@brokerwire/streams'
import { createStreamClient, createStreamTransport } from '@brokerwire/streams/transport'
import type { PingProxy } from '@brokerwire/testing/ping-proxy'

/** How long, and how often is asked. */
export interface Pace {
  readonly silenceSeconds: number
  /** The transport's defaults, unless the server's limits are lowered. */
  readonly connection: { readonly pingIntervalMs?: number; readonly quietPingIntervalMs?: number }
  readonly intervalMs: number
}

/** A kind of stream. */
export interface Scene {
  readonly name: string
  readonly promise: string
  /** @returns What is broken. */
  run(proxy: PingProxy, pace: Pace): Promise<string[]>
}

const FLOOD = 1000
const DAY_MS = 86_400_000

function supervised(url: string, account: string, options: Partial<StreamsOptions> = {}) {
  const streams = createStreams({
    signer: createSigner({ appKey: 'quiet', appSecret: 'quiet-secret' }),
    eventsUrl: url,
    ...options,
  })
  return streams.tradeEvents({ accounts: [account] })
}

const kindsOf = (items: readonly StreamItem[]): string => items.map(({ kind }) => kind).join(', ')

/** What the server makes of PINGs: one connection, and no other notice than that the subscription stands. */
function oneConnection(proxy: PingProxy, broken: string[]): string[] {
  if (proxy.connections !== 1) broken.push(`${proxy.connections} connections instead of one`)
  return broken
}

export const SCENES: readonly Scene[] = [
  {
    name: 'idle, the transport by itself',
    promise: 'a stream without data lives, and the event at its end arrives',
    async run(proxy, { silenceSeconds, connection }) {
      using transport = createStreamTransport({ baseUrl: proxy.url, ...connection })
      const client = createStreamClient(TradeEventService, transport)
      const types: number[] = []
      try {
        const request = { subscribeType: 1, accounts: [`speak-after:${silenceSeconds}`] }
        for await (const { eventType } of client.subscribe(request)) {
          types.push(eventType)
          if (types.length === 2) break
        }
      } catch (error) {
        return [String(error)]
      }
      return oneConnection(proxy, types.join() === '0,1024' ? [] : [`other messages: ${types}`])
    },
  },
  {
    name: 'idle, supervised',
    promise: 'the same for a stream of createStreams whose service sends no pings of its own',
    async run(proxy, { silenceSeconds, connection }) {
      const supervision = { silenceMs: DAY_MS, silenceMaxMs: DAY_MS }
      const stream = supervised(proxy.url, `speak-after:${silenceSeconds}`, { connection, supervision })
      const items: StreamItem[] = []
      for await (const item of stream) {
        items.push(item)
        if (items.length === 2) break
      }
      return oneConnection(proxy, kindsOf(items) === 'subscribed, order' ? [] : [kindsOf(items)])
    },
  },
  {
    name: 'paused, supervised',
    promise:
      'a slow consumer pauses the service, no PING at the interval, and every event arrives once it goes on',
    async run(proxy, { silenceSeconds, connection, intervalMs }) {
      const stream = supervised(proxy.url, `flood:${FLOOD}`, { connection })
      const items: StreamItem[] = []
      const broken: string[] = []
      for await (const item of stream) {
        if (items.length === 1) {
          await new Promise((resolve) => setTimeout(resolve, silenceSeconds * 1000))
          // What went out before the windows were full was no fault of the pause.
          const since = [proxy.lastDataMs, ...proxy.pingsMs.filter((at) => at > proxy.lastDataMs)]
          const quick = since.filter(
            (at, index) => index > 0 && at - (since[index - 1] ?? 0) < 2 * intervalMs,
          )
          if (quick.length > 0) broken.push(`${quick.length} PINGs at the interval, while it was paused`)
        }
        items.push(item)
        if (items.length === FLOOD + 1) break
      }
      const [first, ...events] = items
      if (first?.kind !== 'subscribed') broken.push(`began with ${first?.kind}`)
      const lost = events.findIndex((item, index) => item.kind !== 'order' || item.requestId !== `r${index}`)
      if (lost >= 0) broken.push(`at event ${lost}: ${events[lost]?.kind}`)
      return oneConnection(proxy, broken)
    },
  },
  {
    name: 'asked at every interval',
    promise:
      'the server ends the connection, the notice says why, and the interval doubles: the others prove something',
    async run(proxy, { connection, intervalMs }) {
      const stream = supervised(proxy.url, 'nothing', {
        connection: { ...connection, pingIntervalMs: intervalMs, quietPingIntervalMs: intervalMs },
        supervision: { silenceMs: DAY_MS, silenceMaxMs: DAY_MS },
      })
      for await (const item of stream) {
        if (item.kind !== 'reconnecting') continue
        const said = item.message ?? ''
        const wanted = ['GOAWAY with code 11', `every ${2 * intervalMs} ms`, 'too_many_pings']
        return wanted
          .filter((words) => !said.includes(words))
          .map((words) => `"${words}" is not in "${said}"`)
      }
      return ['the stream ended']
    },
  },
]
