/**
 * The promise of webhooks, while the receiver fails, hangs, responds late and is restarted, and the writer is killed:
 * no event is missing, duplicates have one webhook-id, and events arrive in order.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createSeededRandom } from '@brokerwire/core/testing'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { readBody } from '@brokerwire/testing/http-server'
import { expect, inject, onTestFinished, test } from 'vitest'
import { entries, keys } from '../test/entries.ts'
import { WEBHOOK_SECRET } from '../test/webhook-receiver.ts'
import { makeDirectory } from '../test/webhook-sink.ts'
import { verifyWebhook } from '../webhook/verify-webhook.ts'

/** A request that was read completely, and whether the receiver responded with 2xx in time. */
interface Request {
  readonly webhookId: string
  readonly key: string
  readonly body: string
  isAccepted: boolean
}

/** A receiver that often behaves badly. It listens on the same port after each restart. */
async function startBadReceiver(random: () => number) {
  const requests: Request[] = []
  const rejected: string[] = []
  const respond = (response: ServerResponse, request: Request): void => {
    const accept = (): void => {
      request.isAccepted = !response.destroyed
      response.writeHead(204).end()
    }
    const choice = random()
    if (choice < 0.03) return
    if (choice < 0.06) response.destroy()
    else if (choice < 0.1) response.writeHead(500 + Math.floor(random() * 5)).end()
    else if (choice < 0.12) response.writeHead(400).end('x'.repeat(100_000))
    else if (choice < 0.14) response.writeHead(307, { location: '/' }).end()
    else if (choice < 0.18) setTimeout(accept, 400 * random())
    else accept()
  }
  const open = async (port: number) => {
    const server = createServer(async (incoming, response) => {
      const body = await readBody(incoming).catch(() => undefined)
      if (body === undefined) return
      const result = await verifyWebhook({ headers: incoming.headers, body, secrets: WEBHOOK_SECRET })
      if (!result.ok) rejected.push(result.rule)
      else {
        const text = body.toString()
        const request = { webhookId: result.id, key: JSON.parse(text).id, body: text, isAccepted: false }
        requests.push(request)
        respond(response, request)
      }
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await open(0)
  const { port } = server.address() as AddressInfo
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${port}/events`,
    requests,
    rejected,
    stop,
    async restart() {
      await stop()
      await new Promise((resolve) => setTimeout(resolve, 100 * random()))
      server = await open(port)
    },
  }
}

test('loses no event, and sends duplicates with one webhook-id and in order', async () => {
  const total = inject('isFullRun') ? 3000 : 200
  const random = createSeededRandom(50)
  const receiver = await startBadReceiver(random)
  onTestFinished(() => receiver.stop())
  const directory = await makeDirectory()
  const program = join(directory, 'writer.mjs')
  await bundleProgram(new URL('../test/webhook-writer.ts', import.meta.url), program)
  let kills = 0
  let isDone = false
  while (!isDone) {
    const from = receiver.requests.length
    const state = join(directory, 'state')
    const args = [program, state, receiver.url, WEBHOOK_SECRET, String(total)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    if (kills < 3) {
      // The writer is killed after different numbers of requests, while one is sent.
      const killAt = from + 10 + Math.floor(40 * random())
      await expect.poll(() => receiver.requests.length, { interval: 3 }).toBeGreaterThan(killAt)
      await receiver.restart()
      child.kill('SIGKILL')
      kills += 1
    }
    const [code] = await ended
    isDone = code === 0
  }
  const { requests, rejected } = receiver
  expect(rejected).toEqual([])
  const firstAccepted = [...new Set(requests.filter(({ isAccepted }) => isAccepted).map(({ key }) => key))]
  expect(firstAccepted).toEqual(keys(entries(1, total)))
  const sentAgain = requests.length - total
  expect(sentAgain).toBeGreaterThan(total / 10)
  const webhooks = new Map(requests.map(({ key, webhookId, body }) => [key, { webhookId, body }]))
  for (const { key, webhookId, body } of requests) expect({ webhookId, body }).toEqual(webhooks.get(key))
  expect(new Set(requests.map(({ webhookId }) => webhookId)).size).toBe(total)
  // A duplicate never arrives after a later event, except after a restart of the writer: it continues at its record.
  const order = requests.map(({ key }) => firstAccepted.indexOf(key))
  const stepsBack = order.filter((at, index) => index > 0 && at < (order[index - 1] as number))
  expect(stepsBack.length).toBeLessThanOrEqual(kills)
}, 180_000)
