/**
 * Real servers as child processes of a test or a benchmark, each with its own data folder. They can be
 * started, killed, stopped, and started again. They end when the process that started them ends.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { waitUntil } from './wait.ts'

/** A running server. */
export interface ChildServer {
  readonly port: number
  /** Folder of the server's data. */
  readonly directory: string
  /** Ends the server with SIGKILL, as a crash does, and waits until it has ended. */
  kill(): Promise<void>
  /** Kills the server if it runs, starts it with the same port and data, and waits until it is ready. */
  restart(): Promise<void>
  /**
   * Sends SIGSTOP to all processes of the server, and waits until none of them runs. After that, the server
   * still accepts connections, but sends no response.
   */
  pause(): Promise<void>
  /** Sends SIGCONT to all processes of the server. */
  resume(): void
  /** Kills the server and removes its data. */
  close(): Promise<void>
}

/** Description of how a server is started. */
export interface ServerPlan {
  readonly name: string
  readonly command: string
  readonly args: (port: number, directory: string) => readonly string[]
  /** Checks whether the server is ready. Rejects if it is not ready yet. */
  readonly probe: (port: number) => Promise<void>
  /** Prepares the folder. It is called once, before the first start. */
  readonly prepare?: (directory: string, options: SpawnOptions) => Promise<void>
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /**
   * Whether the server has its own process group, so that a signal to the group of the test does not end it.
   * @defaultValue false
   */
  readonly detached?: boolean | undefined
}

/** Time limit until a server is ready. */
const START_MS = 30_000
const PROBE_EVERY_MS = 10

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) for (const pid of family(child.pid)) signal(pid, 'SIGKILL')
})

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended already.
  }
}

/** Returns the ids of the process and of its descendants. Postgres has a child for each connection. */
function family(pid: number | undefined): number[] {
  if (pid === undefined) return []
  const parents = new Map<number, number>()
  if (existsSync('/proc/self/stat')) {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
      } catch {
        // The process has ended in the meantime.
      }
    }
  }
  const found = [pid]
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child)
  return found
}

/**
 * Whether each thread of a process is in one of these states. True if the system does not report states, or
 * if the process has ended.
 */
function isIn(states: RegExp, pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      return states.test(stat.slice(stat.lastIndexOf(')') + 2))
    })
  } catch {
    return true
  }
}

const ENDED = /^[ZX]/
const STOPPED_OR_ENDED = /^[TtZX]/

/**
 * Stops a process and its children, and waits until none of their threads runs. A thread on another core runs
 * until the signal reaches it. During this time, the thread may respond, or start one more child. Returns the
 * ids of the stopped processes.
 */
async function freeze(pid: number | undefined): Promise<number[]> {
  for (let known = 0; ; ) {
    const pids = family(pid)
    if (pids.length === known) return pids
    known = pids.length
    for (const one of pids) signal(one, 'SIGSTOP')
    await waitUntil(() => pids.every((one) => isIn(STOPPED_OR_ENDED, one)))
  }
}

/**
 * Sends `text` and waits until the response matches `expected`. Rejects if the server sends another response.
 */
export function probeText(port: number, text: string, expected: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    const end = (error?: Error): void => {
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    socket.setTimeout(2000, () => end(new Error('no answer')))
    socket.on('connect', () => socket.write(text))
    socket.on('data', (bytes) => {
      answer += bytes.toString()
      if (expected.test(answer)) end()
      else if (answer.includes('\n')) end(new Error(answer))
    })
    socket.on('error', end)
    socket.on('close', () => end(new Error('closed')))
  })
}

/** Creates a folder that only its owner can read. {@link ChildServer.close} removes it. */
async function freshDirectory(plan: ServerPlan): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `brokerwire-${plan.name}-`))
  if (plan.user) await chown(directory, plan.user.uid, plan.user.gid)
  return directory
}

/** Starts a server and waits until it is ready. */
export async function startServer(plan: ServerPlan): Promise<ChildServer> {
  const directory = await freshDirectory(plan)
  const { detached = false, user } = plan
  const options: SpawnOptions = { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'], detached, ...user }
  await plan.prepare?.(directory, options)
  let port = 0
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()

  const start = async (): Promise<void> => {
    const started = spawn(plan.command, [...plan.args(port, directory)], options)
    child = started
    running.add(started)
    let output = ''
    started.stderr?.on('data', (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-4000)
    })
    let isOver = false
    ended = once(started, 'exit').then(
      () => {},
      (error: unknown) => {
        output += String(error)
      },
    )
    void ended.then(() => {
      isOver = true
      running.delete(started)
    })
    const untilMs = performance.now() + START_MS
    for (;;) {
      const error = await plan.probe(port).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (isOver) throw new Error(`${plan.name} ended: ${output}`)
      if (error === undefined) return
      if (performance.now() > untilMs) throw new Error(`${plan.name} is not ready: ${error}; ${output}`)
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS))
    }
  }
  const kill = async (): Promise<void> => {
    if (child === undefined) return
    const pids = await freeze(child.pid)
    for (const pid of pids) signal(pid, 'SIGKILL')
    await ended
    // Postgres does not start again while a child is still running, because the child uses shared memory.
    await waitUntil(() => pids.every((pid) => isIn(ENDED, pid)))
    child = undefined
  }
  const close = async (): Promise<void> => {
    await kill()
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }

  for (let attempt = 1; ; attempt += 1) {
    port = await freePort()
    try {
      await start()
      break
    } catch (error) {
      await kill()
      // Another process may have taken the port, so a new port is tried.
      if (attempt < 3) continue
      await close()
      throw error
    }
  }
  return {
    get port() {
      return port
    },
    directory,
    kill,
    async restart() {
      await kill()
      await start()
    },
    async pause() {
      await freeze(child?.pid)
    },
    resume() {
      for (const pid of family(child?.pid)) signal(pid, 'SIGCONT')
    },
    close,
  }
}
