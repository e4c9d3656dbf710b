/** The workaround for an assertion of Node, in a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { FRAME, fieldBlock, frame, GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import { folderOfTheRun } from '@brokerwire/testing/template-folder'
import { afterEach, expect, test } from 'vitest'
import { createHarness, type Harness } from '../test/transport/harness.ts'

let harness: Harness
afterEach(() => harness.close())

test('does not abort the process after a server that stops within the headers', async () => {
  harness = createHarness('ours')
  const server = await harness.wire(
    ({ stream, write }) => {
      const more = frame(FRAME.continuation, 0, stream, fieldBlock({ 'x-more': '1' }))
      write(frame(FRAME.headers, 0, stream, fieldBlock(GRPC_HEAD)), more, more)
    },
    { stubborn: true },
  )
  const program = join(await folderOfTheRun('collect'), 'program.mjs')
  await bundleProgram(new URL('../test/transport/collect-program.ts', import.meta.url), program)
  const child = spawn(process.execPath, ['--expose-gc', program, server.url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errorOutput, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  expect({ status, output, errorOutput }).toEqual({ status: 0, output: 'internal', errorOutput: '' })
})
