/** Keeps every core busy with a process that computes. It ends with its parent, whichever way that ends. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Load in hand. */
export interface Load {
  readonly pids: readonly number[]
  /** Resolves once every process has ended. */
  release(): Promise<void>
}

/** Resolves once all of them compute. */
export async function keepBusy(): Promise<Load> {
  const program = fileURLToPath(new URL('busy-process.mjs', import.meta.url))
  const children: ChildProcess[] = []
  for (let core = 0; core < availableParallelism(); core += 1) {
    children.push(fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] }))
  }
  await Promise.all(children.map((child) => once(child, 'message')))
  return {
    pids: children.flatMap(({ pid }) => pid ?? []),
    async release() {
      await Promise.all(
        children.map(async (child) => {
          const ended = once(child, 'exit')
          child.kill('SIGKILL')
          await ended
        }),
      )
    },
  }
}
