/**
 * Child processes that respond to calls over IPC. No secret is in an argument list. A program is bundled once
 * for each run, because starting from source with tsx takes ten times as long.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from './bundle-program.ts'
import type { Answer, Call, Commands, Report } from './child-calls.ts'
import { ROOT } from './root.ts'
import { templateFolder } from './template-folder.ts'

/** The error that a child's function threw, or the end of the child during a call. */
export class ChildError extends Error {
  /** The `code` of the error in the child. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** A running child. */
export interface Child<C extends Commands> {
  readonly process: ChildProcess
  readonly isAlive: boolean
  /** Resolves when the child has ended. */
  readonly ended: Promise<void>
  /** Calls a function of the child. @throws ChildError if the function throws, or if the child ends first. */
  call<K extends keyof C & string>(method: K, ...args: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>>
  /** Sends SIGKILL and waits until the child has ended. */
  kill(): Promise<void>
}

const bundles = new Map<string, Promise<string>>()
let bundleFolder: string | undefined

/**
 * Returns the path of the bundle of a program. The bundle is created once in each process that starts
 * children.
 */
export function bundled(program: URL): Promise<string> {
  const known = bundles.get(program.href)
  if (known !== undefined) return known
  if (bundleFolder === undefined) {
    const folder = mkdtempSync(join(templateFolder() ?? tmpdir(), 'brokerwire-children-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    bundleFolder = folder
  }
  const name = `${bundles.size}-${basename(fileURLToPath(program), '.ts')}.mjs`
  const path = join(bundleFolder, name)
  const bundle = bundleProgram(program, path).then(() => path)
  bundles.set(program.href, bundle)
  return bundle
}

/**
 * Bundles and starts a program.
 *
 * @param program - TypeScript source that calls `serveCalls()`.
 * @param onReport - Receives the messages that the child sends by `report()`.
 */
export async function startChild<C extends Commands>(
  program: URL,
  onReport?: (report: unknown) => void,
): Promise<Child<C>> {
  return startBundle(await bundled(program), onReport)
}

/** Starts the bundle of a program. */
export function startBundle<C extends Commands>(
  program: string,
  onReport?: (report: unknown) => void,
): Child<C> {
  const child = fork(program, [], {
    cwd: ROOT,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const name = basename(program)
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let calls = 0
  child.on('message', (message: Answer | Report) => {
    if ('report' in message) {
      onReport?.(message.report)
      return
    }
    const waiter = waiting.get(message.id)
    waiting.delete(message.id)
    if ('error' in message) waiter?.reject(new ChildError(`${name}: ${message.error}`, message.code))
    else waiter?.resolve(message.value as never)
  })
  const rejectAll = (): void => {
    for (const { reject } of waiting.values()) reject(new ChildError(`${name} has ended`))
    waiting.clear()
  }
  // A killed child may run for another moment. A message to it may fail during this time.
  let isKilled = false
  const isAlive = (): boolean => !isKilled && child.exitCode === null && child.signalCode === null
  const ended = once(child, 'close').then(rejectAll)
  return {
    process: child,
    ended,
    get isAlive() {
      return isAlive()
    },
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        calls += 1
        waiting.set(calls, { resolve, reject })
        child.send({ id: calls, method, args } satisfies Call, (error) => {
          if (error !== null) rejectAll()
        })
      }),
    async kill() {
      if (isAlive()) child.kill('SIGKILL')
      isKilled = true
      await ended
    },
  }
}
