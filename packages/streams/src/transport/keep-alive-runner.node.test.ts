/** The runner of keep-alive, on virtual time and in a process that was suspended. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Echo } from '../test/transport/echo-service.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport } from './create-stream-transport.ts'
import { KeepAliveRunner } from './keep-alive-runner.ts'

describe('the keep-alive runner', () => {
  const policy = { intervalMs: 30_000, idleIntervalMs: 330_000, timeoutMs: 15_000 }
  function start() {
    const clock = createVirtualClock(0)
    const log: string[] = []
    const answers: (() => void)[] = []
    const keepAlive = new KeepAliveRunner(policy, {
      clock,
      ping(onAnswer) {
        log.push(`ping ${clock.now()}`)
        answers.push(onAnswer)
      },
      onDead: () => log.push(`dead ${clock.now()}`),
    })
    return { clock, log, answers, keepAlive }
  }

  test('delays the PING after data, and reports a PING that is not acknowledged', async () => {
    const { clock, log, keepAlive } = start()
    keepAlive.dispatch({ type: 'call-began' })
    await clock.advance(20_000)
    keepAlive.noteActivity()
    await clock.advance(29_999)
    expect(log).toEqual([])
    await clock.advance(1)
    await clock.advance(15_000)
    expect(log).toEqual(['ping 50000', 'dead 65000'])
    expect(clock.pendingTimers).toBe(0)
  })

  test('gives the machine data and PING ACKs before the timer', async () => {
    const { clock, log, answers, keepAlive } = start()
    keepAlive.dispatch({ type: 'call-began' })
    await clock.advance(30_000)
    answers[0]?.()
    await clock.advance(30_000)
    answers[1]?.()
    keepAlive.noteActivity()
    await clock.advance(30_000)
    expect(log).toEqual(['ping 30000', 'ping 60000', 'ping 90000'])
  })

  test('does nothing after stop()', async () => {
    const { clock, log, answers, keepAlive } = start()
    keepAlive.dispatch({ type: 'call-began' })
    await clock.advance(30_000)
    keepAlive.stop()
    answers[0]?.()
    keepAlive.dispatch({ type: 'call-ended', paused: false })
    keepAlive.dispatch({ type: 'call-began' })
    await clock.advance(3_600_000)
    expect(log).toEqual(['ping 30000'])
    expect(clock.pendingTimers).toBe(0)
  })
})

/** Starts a server in another thread, which acknowledges PINGs while this thread is blocked. `answers` counts the ACKs. */
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
            // Blocks this thread until the ACK was sent, and then for longer than the timeout.
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
