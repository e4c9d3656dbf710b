/**
 * How long the simulator takes to start, beside a bare `http2` server: both in turn in one process, from the call until
 * it listens. What the process is loaded with is not counted; closing is not either.
 */
import { createServer } from 'node:http2'
import { startSimulator } from '@brokerwire/simulator'
import { median } from '../figures.ts'

const ROUNDS = 200
const WARM_UP = 50

const simulator: number[] = []
const bare: number[] = []
for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
  const beforeSimulator = performance.now()
  const started = await startSimulator()
  const ours = performance.now() - beforeSimulator
  await started.close()

  const server = createServer()
  const beforeBare = performance.now()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const theirs = performance.now() - beforeBare
  await new Promise((resolve) => server.close(resolve))
  if (round < WARM_UP) continue
  simulator.push(ours)
  bare.push(theirs)
}
console.log(JSON.stringify({ simulator: median(simulator), bare: median(bare) }))
