/** Ended streams do not keep the process alive. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { TradeEventType } from '@brokerwire/protos'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { startGrpcServer } from '@brokerwire/testing/grpc-server'
import { folderOfTheRun } from '@brokerwire/testing/template-folder'
import { expect, test } from 'vitest'
import { tradeFrame } from './test/frames.ts'

test('a process exits after its stream has ended', async () => {
  const server = await startGrpcServer()
  const program = join(await folderOfTheRun('streams-exit'), 'program.mjs')
  await bundleProgram(new URL('./test/exit-program.ts', import.meta.url), program)
  const child = spawn(process.execPath, [program, server.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const exit = new Promise((resolve) => child.on('exit', resolve))
  const call = await server.call()
  call.send(tradeFrame(TradeEventType.SubscribeSuccess), tradeFrame(1024, { requestId: 'r1' }))
  expect({ exitCode: await exit, output }).toEqual({ exitCode: 0, output: 'ended' })
  expect(await call.closed).toBe(8)
  await server.close()
})
