/** Processes that are killed while they request a token, and restarted immediately, with one file store. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HttpFault, startSimulator } from '@brokerwire/simulator'
import { bundled } from '@brokerwire/testing/child'
import { waitUntil } from '@brokerwire/testing/wait'
import { startTokenWorkers } from '../../../packages/client/src/test/token-workers.ts'
import type { Random } from '../random.ts'
import type { AttackContext, Kind } from './attacks.ts'

const CREATE = '/auth/tokens/create'
const RESTARTS = 8
/** Error codes of a process that must wait, or whose call failed. */
const EXPECTED = new Set(['TOKEN_CREATE_TOO_SOON', 'TOKEN_CALL_FAILED', 'TOKEN_PENDING'])

/** Faults of a create request, by the behavior of the service. */
const FAULTS: Readonly<Record<string, HttpFault | undefined>> = {
  answered: undefined,
  'never answered': { kind: 'hang' },
  'cut off': { kind: 'close', processed: true },
  'status 500': { kind: 'respond', status: 500, body: '{"error_code":"SYSTEM_ERROR"}' },
  'status 403': { kind: 'respond', status: 403, body: '{"error_code":"APP_NOT_ACTIVATED"}' },
}
/**
 * Whether the service rejected a create request. After such a response, the service asks no person for a
 * code.
 */
const isClientError = (status: number): boolean => status >= 400 && status < 500

async function attackService(context: AttackContext, program: string, random: Random): Promise<void> {
  const simulator = await startSimulator({ rateLimit: false })
  const children: (() => void)[] = []
  try {
    const { appKey, appSecret } = simulator.credentials
    const settings = {
      baseUrl: simulator.baseUrl,
      place: { kind: 'file', directory: join(context.folder, `store-${random.hex(8)}`) } as const,
      appKey,
      appSecret: appSecret.reveal(),
    }
    const creates = () => simulator.requests().filter(({ path }) => path === CREATE)
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const name = random.pick(Object.keys(FAULTS))
      const fault = FAULTS[name]
      const before = creates().length
      simulator.faults.clear()
      if (fault !== undefined) simulator.faults.nextHttp(fault, { path: CREATE })
      const { workers } = await startTokenWorkers(random.integer(1, 2), settings, {
        onPoint: () => sleep(random.integer(0, 20)),
        atEnd: (end) => children.push(end),
        program,
      })
      const asked = workers.map((worker) =>
        worker.do(random.chance(0.5) ? 'get' : 'renew').catch(({ code = 'no code' }: { code?: string }) => {
          if (!EXPECTED.has(code)) context.fail(`a process that was restarted: ${code}`)
        }),
      )
      const deadlineMs = performance.now() + random.integer(50, 2000)
      const hasArrived = (): boolean => creates().length > before || performance.now() > deadlineMs
      await Promise.race([Promise.all(asked), waitUntil(hasArrived)])
      await Promise.all(workers.map((worker) => worker.kill()))
      context.attack('processes killed and restarted')
      if (creates().length > before) context.attack(`creates ${name}`)
    }
    const counted = creates().filter(({ status }) => !isClientError(status)).length
    if (counted > 1) context.fail(`${counted} creates in five minutes may have asked a person for a code`)
  } finally {
    for (const end of children) end()
    await simulator.close()
  }
}

export const restarts: Kind = {
  name: 'restarts',
  promise:
    'processes that are killed during a create and restarted immediately send one create in five minutes, with any response of the service',
  counts: [400, 8],
  async run(context) {
    const program = await bundled(
      new URL('../../../packages/client/src/test/token-worker.ts', import.meta.url),
    )
    for (let run = 0; run < Math.ceil(context.total / RESTARTS); run += 1)
      await attackService(context, program, context.random.fork(`restarts ${run}`))
  },
}
