/**
 * A server on grpc-js that keeps every stream open and sends single events. Consecutive events go to
 * different streams, so that each event wakes its client once.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js'
import { ACKNOWLEDGED, EVENT_FIELDS, type ScaleService, serviceOf } from './service.ts'

type Call = ServerWritableStream<object, object>

const calls: Call[] = []
let sent = 0

/**
 * Sends events for `seconds` seconds, evenly over time and over the streams.
 *
 * @returns The number of events.
 */
async function send(service: ScaleService, perSecond: number, seconds: number): Promise<number> {
  const total = Math.round(perSecond * seconds)
  const start = performance.now()
  for (let done = 0; done < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond))
    for (; done < due; done += 1) {
      sent += 1
      calls[sent % calls.length]?.write(EVENT_FIELDS[service](sent))
    }
    await delay(1)
  }
  return total
}

const commands = {
  /**
   * Starts the server.
   *
   * @returns The port.
   */
  listen(service: ScaleService, protos: string): Promise<number> {
    const server = new Server()
    server.addService(serviceOf(service, protos), {
      Subscribe(call: Call) {
        calls.push(call)
        call.write(ACKNOWLEDGED)
      },
    })
    return new Promise((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      )
    })
  },
  send,
}
export type ServerCommands = typeof commands
serveCalls(commands)
