/**
 * A receiver of webhooks in its own process, which fails at random. It writes a request to a file before it
 * responds, so a kill loses none that it has accepted.
 */
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { createSeededRandom } from '@brokerwire/core/testing'
import { verifyWebhook } from '@brokerwire/relay/webhook'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { readBody } from '@brokerwire/testing/http-server'
import { HEADER } from '../../../packages/relay/src/wire/headers.ts'
import { type Delivery, toMessages } from './webhook-deliveries.ts'

export interface ReceiverStart {
  /** 0: a free port. */
  readonly port: number
  readonly secret: string
  /** The file of handled requests, one in a line. */
  readonly file: string
  readonly seed: number
}

/** Share of the requests that fail in each of the ways. */
const FAILED = 0.005
const RATE_LIMITED = 0.002

let rejected = 0
/** Ids of the last events, by stream and subscription. */
const last = new Map<string, string>()

function remember(delivery: Delivery): void {
  for (const { headers } of toMessages([delivery]))
    if (headers[HEADER.type] === 'event')
      last.set(
        `${delivery.stream} ${headers[HEADER.source]}`,
        headers[HEADER.id] ?? headers[HEADER.requestId] ?? '',
      )
}

/** Responds, or fails before or after the request is handled. */
function respond(response: ServerResponse, random: () => number, handle: () => void): void {
  const failures: readonly [share: number, fail: () => void][] = [
    [FAILED, () => response.writeHead(500 + Math.floor(random() * 5)).end()],
    [RATE_LIMITED, () => response.writeHead(429, { 'retry-after': '1' }).end()],
    // The request has no response, and the sink's time limit ends.
    [FAILED, () => {}],
    [FAILED, handle],
    [FAILED, () => response.destroy()],
    [
      FAILED,
      () => {
        handle()
        response.destroy()
      },
    ],
  ]
  let draw = random()
  for (const [share, fail] of failures) {
    if (draw < share) {
      fail()
      return
    }
    draw -= share
  }
  handle()
  response.writeHead(204).end()
}

const commands = {
  /** @returns The port. */
  start({ port, secret, file, seed }: ReceiverStart): Promise<number> {
    const random = createSeededRandom(seed)
    if (existsSync(file))
      for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) remember(JSON.parse(line))
    const output = openSync(file, 'a', 0o600)
    const server = createServer(async (request, response) => {
      const body = await readBody(request).catch(() => undefined)
      if (body === undefined) return
      const result = await verifyWebhook({ headers: request.headers, body, secrets: secret })
      if (!result.ok) {
        rejected += 1
        response.writeHead(401).end()
        return
      }
      const stream = request.url?.slice(1) ?? ''
      const delivery = { stream, webhookId: result.id, atMs: Date.now(), event: body.toString() }
      respond(response, random, () => {
        writeSync(output, `${JSON.stringify(delivery)}\n`)
        remember(delivery)
      })
    })
    server.listen(port, '127.0.0.1')
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.once('listening', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  },
  last: (stream: string, subscription: string): string | undefined => last.get(`${stream} ${subscription}`),
  /** @returns The number of requests whose signature was invalid. */
  rejected: (): number => rejected,
}

export type ReceiverCommands = typeof commands

serveCalls(commands)
