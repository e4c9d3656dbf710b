/** After the last stream was left, nothing of it keeps the process alive. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { TradeEventType } from '@brokerwire/protos'
import { startGrpcServer } from '@brokerwire/testing/grpc-server'
import { expect, test } from 'vitest'
import { tradeFrame } from './test/frames.ts'

test('a program that left its stream ends by itself', async () => {
  const server = await startGrpcServer()
  const program = fileURLToPath(new URL('./test/exit-program.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--conditions=@brokerwire/source', '--import', 'tsx', program, server.url],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const exit = new Promise((resolve) => child.on('exit', resolve))
  const call = await server.call()
  call.send(tradeFrame(TradeEventType.SubscribeSuccess), tradeFrame(1024, { requestId: 'r1' }))
  expect([await exit, output]).toEqual([0, 'left'])
  expect(await call.closed).toBe(8)
  await server.close()
})
