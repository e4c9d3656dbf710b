/** A child process that is talked to by calls over IPC: no secret is ever in an argument list. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A call, as it travels. */
interface Call {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}
type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }

/** What a child says by itself. */
interface Report {
  readonly report: unknown
}

/** What a child offers: functions of plain data. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where argument types of all commands meet
export type Commands = Readonly<Record<string, (...args: any[]) => unknown>>

/** A child in the harness's hand. */
export interface Child<C extends Commands> {
  call<K extends keyof C & string>(method: K, ...args: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>>
  /** SIGKILL: the child gets no chance to do anything. Calls that wait are rejected. */
  kill(): Promise<void>
  readonly process: ChildProcess
}

/** Starts a program of this folder. */
export function startChild<C extends Commands>(program: string): Child<C> {
  const path = fileURLToPath(new URL(program, import.meta.url))
  return startFile(path, ['--conditions=@brokerwire/source', '--import', 'tsx'])
}

/**
 * Starts a program.
 *
 * @param execArgv - Of Node.
 * @param onReport - Told what the child says by itself.
 */
export function startFile<C extends Commands>(
  program: string,
  execArgv: readonly string[] = [],
  onReport?: (report: unknown) => void,
): Child<C> {
  const child = fork(program, [], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let calls = 0
  child.on('message', (answer: Answer | Report) => {
    if ('report' in answer) {
      onReport?.(answer.report)
      return
    }
    const waiter = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) waiter?.reject(new Error(`${program}: ${answer.error}`))
    else waiter?.resolve(answer.value as never)
  })
  const exit = once(child, 'exit').then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} has ended`))
    waiting.clear()
  })
  return {
    process: child,
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        calls += 1
        waiting.set(calls, { resolve, reject })
        child.send({ id: calls, method, args } satisfies Call)
      }),
    async kill() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exit
    },
  }
}

/** In the child: says something by itself. */
export function report(what: unknown): void {
  process.send?.({ report: what } satisfies Report)
}

/** In the child: answers calls until the parent is gone. */
export function serveCalls(commands: Commands): void {
  const reply = (answer: Answer): void => void process.send?.(answer)
  process.on('message', ({ id, method, args }: Call) => {
    Promise.resolve()
      .then(() => commands[method]?.(...args))
      .then(
        (value) => reply({ id, value: value ?? null }),
        (error: unknown) => reply({ id, error: String(error) }),
      )
  })
  process.on('disconnect', () => process.exit())
}
