/** A process that is killed during a create, and restarted again and again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { bundled } from '@brokerwire/testing/child'
import { waitUntil } from '@brokerwire/testing/wait'
import { expect, onTestFinished, test } from 'vitest'
import type { Asked } from './test/token-worker.ts'
import { startTokenWorkers, type TokenWorker } from './test/token-workers.ts'

const program = await bundled(new URL('test/token-worker.ts', import.meta.url))
const CREATE = '/auth/tokens/create'
const RESTARTS = 5

test('a process in a crash loop sends one create in five minutes, and asks a person once', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'brokerwire-crash-loop-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const simulator = await startSimulator({ rateLimit: false, signatureWindowMs: 3_600_000 })
  onTestFinished(() => simulator.close())
  const { appKey, appSecret } = simulator.credentials
  const settings = {
    baseUrl: simulator.baseUrl,
    place: { kind: 'file', directory: join(parent, 'store') } as const,
    appKey,
    appSecret: appSecret.reveal(),
  }
  const creates = (): number => simulator.requests().filter(({ path }) => path === CREATE).length
  const start = async (): Promise<TokenWorker> => {
    const onPoint = async (): Promise<void> => {}
    const { workers } = await startTokenWorkers(1, settings, { onPoint, atEnd: onTestFinished, program })
    const [worker] = workers
    if (worker === undefined) throw new Error('no worker')
    return worker
  }
  /** Calls get() in a new process, and kills it when the service has received the create. @returns The code of its error. */
  const crash = async (what: Asked): Promise<string | undefined> => {
    const before = creates()
    const worker = await start()
    let code: string | undefined
    worker.do(what).catch((error: { code?: string }) => {
      code = error.code ?? 'no code'
    })
    await waitUntil(() => creates() > before || code !== undefined)
    await worker.kill()
    return code
  }

  simulator.faults.nextHttp({ kind: 'hang' }, { path: CREATE })
  expect(await crash('get')).toBeUndefined()
  for (let restart = 0; restart < RESTARTS; restart += 1)
    expect(await crash(restart % 2 === 0 ? 'get' : 'renew')).toBe('TOKEN_CREATE_TOO_SOON')
  expect(creates()).toBe(1)

  // Five minutes later the next create is sent, and its token is polled.
  const last = await start()
  await last.do('later')
  const got = last.do('get')
  await waitUntil(() => simulator.approveSecondFactor() > 0)
  expect(await got).toMatch(/^[0-9a-f]{64}$/)
  expect(creates()).toBe(2)
}, 120_000)
