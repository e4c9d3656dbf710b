/** What a rehearsal is made of: steps with their time, and fresh projects that know a registry. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { report } from '../ci/lib/report.ts'
import { type RunResult, run } from '../ci/lib/run.ts'
import { ROOT } from '../ci/lib/workspace.ts'
import { CONSUMERS, type Consumer } from './consumers.ts'
import { countInstalled, growth, lineOf } from './installed.ts'

/** One rehearsal. */
export interface Rehearsal {
  readonly folder: string
  /** Makes a project, and says where. */
  project(name: string, files?: Readonly<Record<string, string>>): string
  /** Does something, and notes down how long it took, and what it answers or throws where it went wrong. */
  step(what: string, work: () => Promise<string | undefined>): Promise<void>
  /** Prints the steps and lines, and ends with status 1 where one went wrong. */
  end(lines: readonly string[], hint: string): void
  close(): void
}

/** @param npmrc - What tells a project about the registry. */
export function createRehearsal(npmrc: string): Rehearsal {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-rehearsal-'))
  const problems: string[] = []
  const rows: string[] = []
  return {
    folder,
    project(name, files = {}) {
      const path = join(folder, name)
      mkdirSync(path)
      const manifest = { name: 'rehearsal', private: true, type: 'module' }
      const own = { 'package.json': JSON.stringify(manifest), '.npmrc': npmrc }
      for (const [file, text] of Object.entries({ ...own, ...files })) writeFileSync(join(path, file), text)
      return path
    },
    async step(what, work) {
      const startedAt = performance.now()
      const problem = await work().catch((error: unknown) => String(error))
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      rows.push(`${problem === undefined ? 'ok    ' : 'FAILED'}  ${seconds.padStart(6)} s  ${what}`)
      if (problem !== undefined) problems.push(`${what}: ${problem}`)
    },
    end(lines, hint) {
      console.log([...rows, '', ...lines].join('\n'))
      report(hint, problems, `${rows.length} steps`)
    },
    close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Whether growth is noted down instead of refused. */
export const IS_UPDATE: boolean = process.argv.includes('--update')

/** The end of what a program said, where it failed. */
export const failed = ({ status, output }: Pick<RunResult, 'status' | 'output'>): string | undefined =>
  status === 0 ? undefined : output.slice(-2000)

/** A snapshot's lines. */
export function notedIn(file: string): string[] {
  return readFileSync(join(ROOT, file), { encoding: 'utf8', flag: 'a+' }).split('\n')
}

/** Writes a snapshot anew, where that was asked for. */
export function noteIn(file: string, lines: readonly string[]): void {
  if (IS_UPDATE) writeFileSync(join(ROOT, file), `${lines.join('\n')}\n`)
}

const SNAPSHOT = 'tools/release/snapshots/consumers.txt'

/** Every kind of consumer installs, and runs its program. @returns A line for each. */
export async function rehearseConsumers(rehearsal: Rehearsal): Promise<string[]> {
  const noted = notedIn(SNAPSHOT)
  const lines: string[] = []
  for (const consumer of CONSUMERS)
    await rehearsal.step(`${consumer.name}: installs ${consumer.installs.join(', ')} and runs`, async () => {
      const { line, problem } = await consume(rehearsal, consumer, noted)
      lines.push(line)
      return problem
    })
  noteIn(SNAPSHOT, lines)
  return lines
}

async function consume(
  rehearsal: Rehearsal,
  { name, installs, run: runProgram }: Consumer,
  noted: readonly string[],
): Promise<{ readonly line: string; readonly problem: string | undefined }> {
  const project = rehearsal.project(name.replace(/\W+/g, '-'))
  const done = await run('npm', ['install', ...installs, '--no-audit', '--no-fund'], { cwd: project })
  if (done.status !== 0) return { line: `${name}: not installed`, problem: failed(done) }
  const installed = countInstalled(project)
  const simulator = await startSimulator({ environment: 'sandbox' })
  try {
    const bundleBytes = await runProgram(project, simulator)
    const whole = { ...installed, bundleBytes }
    const grown = IS_UPDATE ? [] : growth(name, whole, noted)
    return { line: lineOf(name, whole), problem: grown.length === 0 ? undefined : grown.join('; ') }
  } finally {
    await simulator.close()
  }
}
