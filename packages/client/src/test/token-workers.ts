/** Starts the processes of `token-worker.ts`, and keeps the trace of what they did. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { StorePlace } from './store-place.ts'

/** The key of the counter beside an app key's token. */
export const countKey = (appKey: string): string => `count/${appKey}`

/** What a worker is asked for. */
export type Asked =
  | 'get'
  | 'renew'
  | 'request'
  /** Five minutes are over, by this process's clock. */
  | 'later'
  /** One more, on a counter beside the token, by compare-and-set: `1`; `0` where another was faster. */
  | 'count'

/** What a worker is told. */
export type ToWorker =
  | {
      readonly type: 'open'
      readonly httpUrl: string
      readonly place: StorePlace
      readonly appKey: string
      readonly appSecret: string
    }
  | { readonly type: 'go'; readonly id: number }
  | { readonly type: 'do'; readonly id: number; readonly what: Asked }

/** What a worker tells. */
export type FromWorker =
  | { readonly type: 'ready' }
  /** It stands here until it is told to go on. */
  | { readonly type: 'point'; readonly id: number; readonly name: string; readonly atNs: string }
  | { readonly type: 'trace'; readonly name: string; readonly atNs: string }
  | {
      readonly type: 'done'
      readonly id: number
      readonly result?: string
      readonly error?: string
      readonly code?: string
    }

/** Something that a worker did, by a clock that all processes share. */
export interface Step {
  readonly worker: number
  readonly name: string
  readonly atNs: bigint
}

/** What went wrong in a worker. */
export class WorkerError extends Error {
  /** Of the toolkit's errors. */
  readonly code: string | undefined

  constructor(message: string, code: string | undefined) {
    super(message)
    this.code = code
  }
}

/** A process under the test's hand. */
export interface TokenWorker {
  readonly number: number
  readonly isAlive: boolean
  /**
   * @returns The digest of the token that it then had. Never settles when killed.
   * @throws WorkerError with what went wrong.
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

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** Starts `count` workers and waits until all are ready. */
export async function startTokenWorkers(
  count: number,
  open: Omit<Extract<ToWorker, { readonly type: 'open' }>, 'type'>,
  { onPoint, atEnd, program }: WorkerRun,
): Promise<TokenWorkers> {
  const trace: Step[] = []
  const workers = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const child = fork(program, [], {
        cwd: ROOT,
        execArgv: [],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      atEnd(() => void child.kill('SIGKILL'))
      const answers = new Map<number, (message: Extract<FromWorker, { readonly type: 'done' }>) => void>()
      const send = (message: ToWorker): void => {
        // One that has just been killed hears nothing.
        child.send(message, () => {})
      }
      let asked = 0
      const closed = once(child, 'close')
      const note = (name: string, atNs: bigint): void => {
        trace.push({ worker: number, name, atNs })
      }
      const worker: TokenWorker = {
        number,
        ended: closed,
        get isAlive() {
          return child.exitCode === null && child.signalCode === null
        },
        do(what) {
          asked += 1
          const id = asked
          return new Promise((resolve, reject) => {
            answers.set(id, ({ result, error, code }) =>
              result === undefined
                ? reject(new WorkerError(`worker ${number}: ${error}`, code))
                : resolve(result),
            )
            send({ type: 'do', id, what })
          })
        },
        async kill() {
          // Its lock is free from here on.
          note('killed', process.hrtime.bigint())
          child.kill('SIGKILL')
          await closed
        },
      }
      const ready = new Promise<void>((resolve, reject) => {
        child.once('exit', () => reject(new Error(`worker ${number} ended`)))
        child.on('message', (message: FromWorker) => {
          switch (message.type) {
            case 'ready':
              return resolve()
            case 'trace':
              return note(message.name, BigInt(message.atNs))
            case 'point':
              note(message.name, BigInt(message.atNs))
              void onPoint(worker, message.name).then(() => {
                if (worker.isAlive) send({ type: 'go', id: message.id })
              })
              return
            case 'done':
              return answers.get(message.id)?.(message)
          }
        })
      })
      send({ type: 'open', ...open })
      await ready
      return worker
    }),
  )
  return { workers, trace }
}
