/** Eight processes of one machine share a token through files. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { eightProcesses } from './test/eight-processes.ts'

test('eight processes of which five are killed send one create at a time, poll once, and share one token', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'brokerwire-processes-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  await eightProcesses({ kind: 'file', directory: join(parent, 'store') }, onTestFinished)
}, 120_000)
