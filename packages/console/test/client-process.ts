/** The command line as a client in its own process, with the environment variables that the simulator prints. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Simulator } from '@brokerwire/simulator'
import { ROOT } from '@brokerwire/testing/root'

const COMMAND = join(ROOT, 'packages/cli/bin/brokerwire.js')
/** Time limit for the start of a process on a busy machine. */
const LIMIT_MS = 90_000

/** A running client. */
export interface ClientProcess {
  /** Resolves when the client has printed `text`. */
  prints(text: string): Promise<void>
  stop(): void
}

/** Starts `brokerwire` with these arguments against a simulator. */
export function startClient(simulator: Simulator, ...args: readonly string[]): ClientProcess {
  const home = mkdtempSync(join(tmpdir(), 'console-client-'))
  const { appKey, appSecret } = simulator.credentials
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      BROKERWIRE_STORE: join(home, 'store'),
      BROKERWIRE_REGION: simulator.region,
      BROKERWIRE_ENVIRONMENT: simulator.environment,
      BROKERWIRE_BASE_URL: simulator.baseUrl,
      BROKERWIRE_EVENTS_URL: simulator.eventsUrl,
      BROKERWIRE_MODULE_EVENTS_URL: simulator.moduleEventsUrl,
      BROKERWIRE_APP_KEY: appKey,
      BROKERWIRE_APP_SECRET: appSecret.reveal(),
      BROKERWIRE_ACCOUNTS: simulator.accounts.join(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let look = (): void => undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
      look()
    })
  }
  return {
    prints: (text) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`the client did not print ${text}; it printed:\n${printed}`)),
          LIMIT_MS,
        )
        look = () => {
          if (!printed.includes(text)) return
          clearTimeout(late)
          resolve()
        }
        look()
      }),
    stop() {
      child.kill('SIGKILL')
      rmSync(home, { recursive: true, force: true })
    },
  }
}
