/**
 * A program that makes one call, and runs the garbage collector right after the call and in each of the next turns of the event
 * loop. Its argument is the server's address. Needs `--expose-gc`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStreamClient } from '../../transport/create-stream-client.ts'
import { createStreamTransport } from '../../transport/create-stream-transport.ts'
import { Echo } from './echo-service.ts'
import { outcomeOf } from './outcome.ts'

const collect = (globalThis as { gc?: () => void }).gc
if (collect === undefined) throw new Error('run it with --expose-gc')

const transport = createStreamTransport({ baseUrl: String(process.argv[2]) })
const client = createStreamClient(Echo, transport)
const outcome = await outcomeOf(client.serverStream({ value: '' }))
for (let turn = 0; turn < 10; turn += 1) {
  collect()
  process.nextTick(collect)
  setImmediate(collect)
  await sleep(1)
}
process.stdout.write(outcome.join())
