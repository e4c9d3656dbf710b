/**
 * The simulator as a child process, which the command line itself starts, and which all tests of a file
 * share. Commands run in the test's process. If a test is about processes, they run as processes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connectControl, type SimulatorControl } from '@brokerwire/simulator'
import { afterAll, onTestFinished } from 'vitest'
import { COMMAND } from './command.ts'
import { environmentOf } from './environment.ts'
import { type Run, type RunOptions, run } from './run.ts'

/** A running service. */
export interface Service {
  /** Environment with the variables of the `export` lines, and a home folder for the test file. */
  readonly env: Readonly<Record<string, string>>
  /** Controls the simulator. */
  readonly control: SimulatorControl
  /**
   * Runs a command with the service's environment, and with the test's own store unless `env` names another.
   */
  run(args: readonly string[], options?: RunOptions): Promise<Run>
}

/** Starts a service that is stopped after the tests of the file. Call it at the top level, not in a test. */
export async function startService(...args: readonly string[]): Promise<Service> {
  const home = mkdtempSync(join(tmpdir(), 'brokerwire-cli-'))
  const child = spawn(process.execPath, [COMMAND, 'simulate', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  afterAll(() => {
    child.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })
  const env: Record<string, string> = {
    ...(await exportsOf(child)),
    HOME: home,
    PATH: process.env.PATH ?? '',
  }
  return {
    env,
    control: connectControl({
      url: env.BROKERWIRE_CONTROL_URL ?? '',
      token: env.BROKERWIRE_CONTROL_TOKEN ?? '',
    }),
    run: (given, options = {}) =>
      run(given, { ...options, env: { ...env, BROKERWIRE_STORE: temporaryStore(), ...options.env } }),
  }
}

/** A store directory that is removed after the test. */
export function temporaryStore(): string {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-cli-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'store')
}

/** Reads the `export` lines until the last one. */
async function exportsOf(child: ChildProcess): Promise<Record<string, string>> {
  if (child.stdout === null) throw new Error('its output goes nowhere')
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('export BROKERWIRE_CONTROL_TOKEN=')) break
  }
  child.stdout.resume()
  return environmentOf(lines)
}
