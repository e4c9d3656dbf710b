/**
 * Eight real processes on one store, all asking at once, five of them killed while they hold the lock: after the create was
 * sent, after it was answered, after its token was saved, and twice in the middle of a poll. A create that was lost with its
 * process holds the others off for five minutes.
 *
 * The test decides by messages where each of them stops, so nothing depends on how fast they are.
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

/** Interval of the reads in the background. A shorter one takes half of the processor. */
const LOOK_MS = 25

/** Reads the record again and again. A torn one throws. */
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
  // It is awaited at the end; until then nobody would handle a failure.
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

/** From one step of a worker to the next one that ends it. */
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
 * The whole of it, on one store.
 *
 * @param atEnd - Calls it when the test is over. The test's own, because several stores are tried side by side.
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

  /** Where the next ones are killed, and what happens then. */
  const plan: { readonly at: string; readonly after?: () => void }[] = [
    { at: 'create-answered' },
    { at: 'saved' },
    { at: 'check-sending', after: () => simulator.approveSecondFactor() },
    { at: 'check-answered' },
  ]
  let isHangDone = false
  const killed: TokenWorker[] = []
  const onPoint = async (worker: TokenWorker, name: string): Promise<void> => {
    if (name === 'create-sending' && !isHangDone) {
      isHangDone = true
      // It is on its way, and never answered.
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
  /** All ask. @returns What each of those who are alive afterwards got: a token, or the code of an error. */
  const askAll = async (): Promise<readonly string[]> => {
    const asked = alive().map((worker) => ({
      worker,
      got: worker.do('get').catch((error: unknown) => (error as ChildError).code ?? 'no code'),
    }))
    await Promise.all(asked.map(({ worker, got }) => Promise.race([got, worker.ended])))
    return Promise.all(asked.flatMap(({ worker, got }) => (killed.includes(worker) ? [] : [got])))
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

  // Of the creates one was lost with its sender, one with its answer, and one is the token.
  const creates = simulator.requests().filter(({ path }) => path === CREATE)
  expect(creates.map(({ status }) => status)).toEqual([0, 200, 200])
  const holds = spans(trace, 'locked', ['releasing', 'killed'])
  expectOneAtATime(holds)
  const sent = spans(trace, 'create-sending', ['create-answered', 'killed'])
  expect(sent).toHaveLength(3)
  expectOneAtATime(sent)
  for (const { worker, atNs } of trace.filter(({ name }) => /^(create|check)-/.test(name))) {
    const hold = holds.find((held) => held.worker === worker && held.fromNs < atNs && atNs < held.toNs)
    expect(hold, `worker ${worker} polled or created without the lock`).toBeDefined()
  }

  // One of them renews. The others ask all the time, and never go back to a token that was replaced.
  const [first, ...others] = survivors
  if (first === undefined) throw new Error('nobody survived')
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
