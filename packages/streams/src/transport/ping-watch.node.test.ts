/** The watch of one connection: on virtual time, and in a process that did not run for a while. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Echo } from '../test/transport/echo-service.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport } from './create-stream-transport.ts'
import { PingWatch } from './ping-watch.ts'

describe('on virtual time', () => {
  const policy = { intervalMs: 30_000, idleIntervalMs: 330_000, timeoutMs: 15_000 }
  function start() {
    const clock = createVirtualClock(0)
    const told: string[] = []
    const answers: (() => void)[] = []
    const watch = new PingWatch(policy, {
      clock,
      ping(onAnswer) {
        told.push(`ping ${clock.now()}`)
        answers.push(onAnswer)
      },
      onDead: () => told.push(`dead ${clock.now()}`),
    })
    return { clock, told, answers, watch }
  }

  test('data puts a PING off; one without an answer is the end', async () => {
    const { clock, told, watch } = start()
    watch.dispatch({ type: 'call-began' })
    await clock.advance(20_000)
    watch.noteData()
    await clock.advance(29_999)
    expect(told).toEqual([])
    await clock.advance(1)
    await clock.advance(15_000)
    expect(told).toEqual(['ping 50000', 'dead 65000'])
    expect(clock.pendingTimers).toBe(0)
  })

  test('an answer, and data that came before it was asked again, count before the timer', async () => {
    const { clock, told, answers, watch } = start()
    watch.dispatch({ type: 'call-began' })
    await clock.advance(30_000)
    answers[0]?.()
    await clock.advance(30_000)
    answers[1]?.()
    watch.noteData()
    await clock.advance(30_000)
    expect(told).toEqual(['ping 30000', 'ping 60000', 'ping 90000'])
  })

  test('once it was stopped nothing happens any more', async () => {
    const { clock, told, answers, watch } = start()
    watch.dispatch({ type: 'call-began' })
    await clock.advance(30_000)
    watch.stop()
    answers[0]?.()
    watch.dispatch({ type: 'call-ended', paused: false })
    watch.dispatch({ type: 'call-began' })
    await clock.advance(3_600_000)
    expect([told, clock.pendingTimers]).toEqual([['ping 30000'], 0])
  })
})

/** A server in a thread of its own, so that it answers while this one does not run. `answers` counts what it answered. */
async function startServerThread(answers: Int32Array): Promise<number> {
  const worker = new Worker(
    `const { createServer } = require('node:http2')
     const { parentPort, workerData } = require('node:worker_threads')
     const answered = () => {
       Atomics.add(workerData, 0, 1)
       Atomics.notify(workerData, 0)
     }
     const server = createServer()
     server.on('sessionError', () => {})
     server.on('session', (session) => session.on('ping', () => setImmediate(answered)))
     server.on('stream', (stream) => {
       stream.on('error', () => {})
       stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
     })
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
    { eval: true, workerData: answers },
  )
  onTestFinished(async () => {
    await worker.terminate()
  })
  const [port] = await once(worker, 'message')
  return port
}

const TIMEOUT_MS = 100
const PING_BYTES = 17
const PING_TYPE = 6

test('keeps a live connection after the process did not run for longer than keepAlive.timeoutMs', async () => {
  const answers = new Int32Array(new SharedArrayBuffer(4))
  const port = await startServerThread(answers)
  let pings = 0
  const transport = createStreamTransport({
    baseUrl: 'http://127.0.0.1',
    keepAlive: { intervalMs: 100, idleIntervalMs: 100, timeoutMs: TIMEOUT_MS },
    createConnection: () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('data', (chunk) => duplex.push(chunk))
      socket.on('error', () => {})
      socket.on('close', () => duplex.destroy())
      const duplex = new Duplex({
        read() {},
        write(chunk: Buffer, _encoding, done) {
          socket.write(chunk)
          if (chunk.length === PING_BYTES && chunk[3] === PING_TYPE && chunk[4] === 0) {
            // Nothing runs here until the answer is there, and until it is overdue.
            Atomics.wait(answers, 0, pings)
            pings++
            Atomics.wait(answers, 0, pings, 3 * TIMEOUT_MS)
          }
          done()
        },
        destroy(error, done) {
          socket.destroy()
          done(error)
        },
      })
      return duplex
    },
  })
  const stream = createStreamClient(Echo, transport).serverStream({})
  const ended = stream.next().then(
    () => 'ended',
    (error: Error) => error.message,
  )
  while (pings < 3) {
    const outcome = await Promise.race([ended, new Promise((resolve) => setImmediate(resolve, undefined))])
    expect(outcome).toBeUndefined()
  }
  await stream.return()
  transport.close()
})
