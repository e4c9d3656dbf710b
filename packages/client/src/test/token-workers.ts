/** Starts the processes of `token-worker.ts` and keeps a trace of their actions. */
import { ChildError, startBundle } from '@brokerwire/testing/child'
import type { Asked, WorkerCommands, WorkerReport, WorkerSettings } from './token-worker.ts'

/** A step of a worker, with the time of a clock that all processes share. */
export interface Step {
  readonly worker: number
  readonly name: string
  readonly atNs: bigint
}

/** A running worker. */
export interface TokenWorker {
  readonly number: number
  readonly isAlive: boolean
  /**
   * @returns The digest of the worker's token afterwards. Never settles if the worker is killed.
   * @throws ChildError with the worker's error.
   */
  do(what: Asked): Promise<string>
  /** Ends it with SIGKILL and waits until it has ended. */
  kill(): Promise<void>
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>
}

/** The workers and their trace. */
export interface TokenWorkers {
  readonly workers: readonly TokenWorker[]
  readonly trace: readonly Step[]
}

/** Options of {@link startTokenWorkers}. */
export interface WorkerRun {
  /** Called when a worker waits at a point. The worker goes on when the promise resolves, unless it was killed. */
  readonly onPoint: (worker: TokenWorker, name: string) => Promise<void>
  /** Registers a function for the end of the test, which ends the process. */
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
