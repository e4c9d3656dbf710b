/**
 * The simulator as a child process, shared by the tests of a file and started by the command line itself. Commands run
 * in the test's process, or as processes if the test is about those.
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
  /** Environment after pasting the `export` lines, with the test file's own home. */
  readonly env: Readonly<Record<string, string>>
  /** Controls the simulator. */
  readonly control: SimulatorControl
  /** Runs a command with the service's environment, and the test's own store unless `env` names one. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>
}

/** Starts a service that is stopped with the test file. Call it at the top level, not in a test. */
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

/** Reads the `export` lines, up to the last one. */
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
