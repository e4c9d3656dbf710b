/** Single attempts, against real servers. */
import { createServer } from 'node:net'
import { systemClock } from '@brokerwire/core'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'
import { describeConnectionError, Receiver, type ReceiverOptions } from './receiver.ts'

const never = new AbortController().signal

function open(options: Partial<ReceiverOptions> & { readonly url: string }): Receiver {
  const receiver = new Receiver({
    timeoutMs: 5000,
    allowPrivateAddresses: true,
    clock: systemClock,
    ...options,
  })
  onTestFinished(() => receiver.close())
  return receiver
}

const post = (receiver: Receiver, signal = never) =>
  receiver.post({ 'x-a': '1' }, Buffer.from('body'), signal)

async function serve(...respond: Parameters<typeof startHttpServer>) {
  const server = await startHttpServer(...respond)
  onTestFinished(() => server.close())
  return server
}

test('sends a POST with its headers over one connection', async () => {
  const seen: unknown[] = []
  let connections = 0
  const { url, server } = await serve((request, response) => {
    const { method, url, headers } = request
    seen.push([method, url, headers['x-a'], headers['content-length']])
    request.resume()
    response.writeHead(200).end('ok')
  })
  server.on('connection', () => {
    connections += 1
  })
  const receiver = open({ url: `${url}/events?key=1` })
  for (let count = 0; count < 3; count += 1)
    expect(await post(receiver)).toEqual({ status: 200, retryAfterMs: undefined })
  expect(seen).toEqual(Array.from({ length: 3 }, () => ['POST', '/events?key=1', '1', '4']))
  expect(connections).toBe(1)
})

test('returns the status and Retry-After, and does not follow a redirect', async () => {
  let requests = 0
  const { url } = await serve((_, response) => {
    requests += 1
    response.writeHead(307, { location: '/other', 'retry-after': '7' }).end()
  })
  expect(await post(open({ url }))).toEqual({ status: 307, retryAfterMs: 7000 })
  expect(requests).toBe(1)
})

test('reads a long body of a response up to a limit', async () => {
  let sent = 0
  const { url } = await serve((_, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(64 * 1024)
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', more)
    more()
  })
  expect(await post(open({ url }))).toMatchObject({ status: 200 })
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

test('fails when the time limit is reached without a response', async () => {
  const { url } = await serve(() => {})
  await expect(post(open({ url, timeoutMs: 50 }))).rejects.toThrow('no response within 50 ms')
})

test('uses the status of a response whose body does not end in time', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200).write('a part')
  })
  expect(await post(open({ url, timeoutMs: 100 }))).toMatchObject({ status: 200 })
})

test('fails with the reason of an aborted signal', async () => {
  const { url } = await serve(() => {})
  const abort = new AbortController()
  const call = post(open({ url }), abort.signal)
  abort.abort(new Error('stopped'))
  await expect(call).rejects.toThrow('stopped')
})

test('describes a refused and a reset connection', async () => {
  const { url, close } = await startHttpServer(() => {})
  await close()
  const describe = (call: Promise<unknown>) => call.then(() => '', describeConnectionError)
  expect(await describe(post(open({ url })))).toContain('ECONNREFUSED')
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  expect(await describe(post(open({ url: `http://127.0.0.1:${port}` })))).toContain('ECONNRESET')
})

test('sends nothing to a private address, whether the URL has it or the name resolves to it', async () => {
  let requests = 0
  const { port } = await serve((_, response) => {
    requests += 1
    response.end()
  })
  const options = { allowPrivateAddresses: false }
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', '2130706433'])
    await expect(post(open({ ...options, url: `http://${host}:${port}` }))).rejects.toThrow('public address')
  const rebound = open({
    ...options,
    url: `http://receiver.example:${port}`,
    lookup: (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  await expect(post(rebound)).rejects.toThrow(
    'receiver.example must have a public address, unless allowPrivateAddresses is set',
  )
  expect(requests).toBe(0)
})

test('a signal that has aborted before the attempt opens no connection', async () => {
  const { url, server } = await serve((_, response) => void response.end())
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  const receiver = open({ url })
  const reason = new Error('stopped')
  await expect(post(receiver, AbortSignal.abort(reason))).rejects.toBe(reason)
  receiver.close()
  expect(await post(open({ url }))).toMatchObject({ status: 200 })
  expect(connections).toBe(1)
})
