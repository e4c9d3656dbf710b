/**
 * A test with eight processes on one store that call `get()` at once. Five of them are killed while they have the lock: after the
 * create was sent, after its response, after its token was saved, and twice during a poll. A create that was lost with its process
 * delays the next create by five minutes.
 *
 * The test controls by messages at which point each process stops, so the result does not depend on their speed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@brokerwire/core'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { bundled, type ChildError } from '@brokerwire/testing/child'
import { waitUntil } from '@brokerwire/testing/wait'
import { expect } from 'vitest'
import { openStore, type StorePlace } from './store-place.ts'
import { type Step, startTokenWorkers, type TokenWorker } from './token-workers.ts'

const program = await bundled(new URL('token-worker.ts', import.meta.url))

/** The path of a create. */
const CREATE = '/auth/tokens/create'

/** Interval of the reads in the background, in milliseconds. A shorter one uses half of the processor. */
const LOOK_MS = 25

/** Reads the record repeatedly. A partly written record throws. */
function watchRecord(store: Store, key: string) {
  const seen = new Set<string>()
  let stopped = false
  const reading = (async () => {
    while (!stopped) {
      const text = await store.get(key)
      if (text !== undefined) {
        expect(JSON.parse(text)).toMatchObject({ format: 1 })
        seen.add(text)
      }
      await sleep(LOOK_MS)
    }
  })()
  // It is awaited at the end. Without this handler an earlier failure would be an unhandled rejection.
  reading.catch(() => {})
  return {
    async stop(): Promise<number> {
      stopped = true
      await reading
      return seen.size
    },
  }
}

interface Span {
  readonly worker: number
  readonly fromNs: bigint
  readonly toNs: bigint
}

/** The intervals from one step of a worker to the step that ends it. */
function spans(trace: readonly Step[], begin: string, ends: readonly string[]): Span[] {
  return trace
    .filter(({ name }) => name === begin)
    .map(({ worker, atNs: fromNs }) => {
      const end = trace.find(
        (step) => step.worker === worker && step.atNs > fromNs && ends.includes(step.name),
      )
      return { worker, fromNs, toNs: end?.atNs ?? process.hrtime.bigint() }
    })
    .sort((one, other) => (one.fromNs < other.fromNs ? -1 : 1))
}

function expectOneAtATime(list: readonly Span[]): void {
  for (const [index, span] of list.slice(1).entries())
    expect(span.fromNs).toBeGreaterThanOrEqual(list[index]?.toNs ?? 0n)
}

async function untilHung(simulator: Simulator): Promise<void> {
  await waitUntil(() => simulator.requests().some(({ errorCode }) => errorCode === 'fault hang'))
}

/**
 * Runs the test on one store.
 *
 * @param atEnd - Registers a function for the end of the test. A parameter, because the tests of several stores run concurrently.
 */
export async function eightProcesses(
  place: StorePlace,
  atEnd: (end: () => void | Promise<void>) => void,
): Promise<void> {
  const signatureWindowMs = 3_600_000 // The clocks of the processes move on, the simulator's does not.
  const simulator = await startSimulator({
    rateLimit: false,
    revokePreviousOnCreate: true,
    signatureWindowMs,
  })
  atEnd(() => simulator.close())
  const { appKey, appSecret } = simulator.credentials
  const { store, close } = await openStore(place)
  atEnd(close)
  const key = `access-token/production/us/${appKey}/${encodeURIComponent(simulator.baseUrl)}`
  simulator.faults.nextHttp({ kind: 'hang' }, { path: CREATE })

  /** The points at which the next processes are killed, with the effect on the service. */
  const plan: { readonly at: string; readonly after?: () => void }[] = [
    { at: 'create-response' },
    { at: 'saved' },
    { at: 'check-sending', after: () => simulator.approveSecondFactor() },
    { at: 'check-response' },
  ]
  let isHangDone = false
  const killed: TokenWorker[] = []
  const onPoint = async (worker: TokenWorker, name: string): Promise<void> => {
    if (name === 'create-sending' && !isHangDone) {
      isHangDone = true
      // The create was sent and gets no response.
      void untilHung(simulator).then(() => {
        killed.push(worker)
        return worker.kill()
      })
      return
    }
    if (plan[0]?.at !== name) return
    const kill = plan.shift()
    killed.push(worker)
    await worker.kill()
    kill?.after?.()
  }

  const started = { baseUrl: simulator.baseUrl, place, appKey, appSecret: appSecret.reveal() }
  const { workers, trace } = await startTokenWorkers(8, started, { onPoint, atEnd, program })
  const record = watchRecord(store, key)
  const alive = (): TokenWorker[] => workers.filter((worker) => !killed.includes(worker))
  /** Calls `get()` in all processes. @returns The token or the error code of each process that is still alive. */
  const askAll = async (): Promise<readonly string[]> => {
    const calls = alive().map((worker) => ({
      worker,
      got: worker.do('get').catch((error: unknown) => (error as ChildError).code ?? 'no code'),
    }))
    await Promise.all(calls.map(({ worker, got }) => Promise.race([got, worker.ended])))
    return Promise.all(calls.flatMap(({ worker, got }) => (killed.includes(worker) ? [] : [got])))
  }
  for (const [lost, left] of [7, 6].entries()) {
    expect(await askAll()).toEqual(Array(left).fill('TOKEN_CREATE_TOO_SOON'))
    const requests = simulator.requests().filter(({ path }) => path === CREATE)
    expect(requests).toHaveLength(lost + 1)
    await Promise.all(alive().map((worker) => worker.do('later')))
  }
  const got = await askAll()
  expect(killed).toHaveLength(5)
  const survivors = alive()
  expect(survivors).toHaveLength(3)
  expect(new Set(got).size).toBe(1)

  // One create was lost with its sender, one with its response, and one gave the token.
  const creates = simulator.requests().filter(({ path }) => path === CREATE)
  expect(creates.map(({ status }) => status)).toEqual([0, 200, 200])
  const holds = spans(trace, 'locked', ['releasing', 'killed'])
  expectOneAtATime(holds)
  const sent = spans(trace, 'create-sending', ['create-response', 'killed'])
  expect(sent).toHaveLength(3)
  expectOneAtATime(sent)
  for (const { worker, atNs } of trace.filter(({ name }) => /^(create|check)-/.test(name))) {
    const hold = holds.find((span) => span.worker === worker && span.fromNs < atNs && atNs < span.toNs)
    expect(hold, `worker ${worker} polled or created without the lock`).toBeDefined()
  }

  // One process renews. The others call get() all the time, and never return to a token that was replaced.
  const [first, ...others] = survivors
  if (first === undefined) throw new Error('no process survived')
  let isRenewed = false
  await first.do('later')
  const renewal = first.do('renew')
  const watching = others.map(async (worker) => {
    const seen: string[] = []
    while (!isRenewed) {
      seen.push(await worker.do('get'))
      await sleep(LOOK_MS)
    }
    seen.push(await worker.do('get'))
    return seen
  })
  await waitUntil(() => simulator.approveSecondFactor() > 0)
  const renewed = await renewal
  isRenewed = true
  expect(renewed).not.toBe(got[0])
  for (const seen of await Promise.all(watching)) {
    expect(seen.filter((token, index) => index === 0 || token !== seen[index - 1])).toEqual([got[0], renewed])
  }
  expect(await Promise.all([first, ...others].map((worker) => worker.do('request')))).toEqual(
    Array(3).fill(renewed),
  )

  expect(await record.stop()).toBeGreaterThan(3)
  const lock = await store.lock?.(key)
  await lock?.release()
}
