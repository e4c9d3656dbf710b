/** A transport that was not closed never keeps the process alive after its calls. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import type { ServerCall } from '@brokerwire/testing/http2-server'
import { folderOfTheRun } from '@brokerwire/testing/template-folder'
import { afterEach, expect, test } from 'vitest'
import { createHarness, type Harness } from '../test/transport/harness.ts'

let harness: Harness
afterEach(() => harness.close())

/** Ends a call as its request message requests. */
async function answer(call: ServerCall): Promise<void> {
  const body = await call.body
  call.write(body)
  // The value follows the header of the envelope, a tag and a length.
  const wanted = body.toString('utf8', 7)
  if (wanted === 'end' || wanted === 'unary') call.end()
  if (wanted === 'status') call.end({ 'grpc-status': '5' })
  if (wanted === 'reset') call.stream.close(2)
  if (wanted === 'lost') call.session.destroy()
}

test('lets the process exit after calls that ended in any way', async () => {
  harness = createHarness('ours')
  const server = await harness.server(answer)
  const program = join(await folderOfTheRun('transport-exit'), 'program.mjs')
  await bundleProgram(new URL('../test/transport/exit-program.ts', import.meta.url), program)
  const startMs = performance.now()
  const child = spawn(process.execPath, [program, server.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [outcomes, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect({ status, outcomes }).toEqual({
    status: 0,
    outcomes: 'ok,ok,not_found,internal,unavailable,deadline_exceeded,ok',
  })
  // It did not wait for idleTimeoutMs, after which a connection without calls is closed.
  expect(performance.now() - startMs).toBeLessThan(15_000)
})
