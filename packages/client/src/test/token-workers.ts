/** Starts the processes of `token-worker.ts`, and keeps the trace of what they did. */
import { ChildError, startBundle } from '@brokerwire/testing/child'
import type { StorePlace } from './store-place.ts'
import type { WorkerCommands } from './token-worker.ts'

/** What a worker is asked for. */
export type Asked =
  | 'get'
  | 'renew'
  | 'request'
  /** Five minutes are over, by this process's clock. */
  | 'later'
  /** One more, on a counter beside the token, by compare-and-set: `1`; `0` where another was faster. */
  | 'count'

/** The settings of a worker. */
export interface WorkerSettings {
  readonly httpUrl: string
  readonly place: StorePlace
  readonly appKey: string
  readonly appSecret: string
}

/** A message that a worker sends without a call. */
export type WorkerReport =
  /** The worker waits until `go` is called with this id. */
  | { readonly type: 'point'; readonly id: number; readonly name: string; readonly atNs: string }
  | { readonly type: 'trace'; readonly name: string; readonly atNs: string }

/** Something that a worker did, by a clock that all processes share. */
export interface Step {
  readonly worker: number
  readonly name: string
  readonly atNs: bigint
}

/** A process under the test's hand. */
export interface TokenWorker {
  readonly number: number
  readonly isAlive: boolean
  /**
   * @returns The digest of the token that it then had. Never settles when killed.
   * @throws ChildError with the worker's error.
   */
  do(what: Asked): Promise<string>
  /** Ends it with SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
  /** Resolves when it is gone. */
  readonly ended: Promise<unknown>
}

/** All of them. */
export interface TokenWorkers {
  readonly workers: readonly TokenWorker[]
  readonly trace: readonly Step[]
}

/** How the processes are run. */
export interface WorkerRun {
  /** What is to happen where a worker stands; it goes on when this resolves, if it is then alive. */
  readonly onPoint: (worker: TokenWorker, name: string) => Promise<void>
  /** Calls it when the test is over: no process outlives it. */
  readonly atEnd: (end: () => void) => void
  /** The bundle of `token-worker.ts`. */
  readonly program: string
}

/** Starts `count` workers and waits until all are ready. */
export async function startTokenWorkers(
  count: number,
  settings: WorkerSettings,
  { onPoint, atEnd, program }: WorkerRun,
): Promise<TokenWorkers> {
  const trace: Step[] = []
  const workers = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const note = (name: string, atNs: bigint): void => {
        trace.push({ worker: number, name, atNs })
      }
      const child = startBundle<WorkerCommands>(program, (message) => {
        const report = message as WorkerReport
        note(report.name, BigInt(report.atNs))
        if (report.type === 'trace') return
        void onPoint(worker, report.name).then(() => {
          // The worker may be killed before it goes on.
          if (worker.isAlive) child.call('go', report.id).catch(() => {})
        })
      })
      atEnd(() => void child.process.kill('SIGKILL'))
      const worker: TokenWorker = {
        number,
        ended: child.ended,
        get isAlive() {
          return child.isAlive
        },
        do(what) {
          return new Promise((resolve, reject) => {
            child.call('do', what).then(resolve, (error: ChildError) => {
              if (child.isAlive) reject(new ChildError(`worker ${number}: ${error.message}`, error.code))
            })
          })
        },
        kill() {
          // The worker's lock is free from here on.
          note('killed', process.hrtime.bigint())
          return child.kill()
        },
      }
      await child.call('open', settings)
      return worker
    }),
  )
  return { workers, trace }
}
