/**
 * Steps of a rehearsal. Each prints its duration. A failed step does not stop the next ones. Projects are
 * created in a temporary folder.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { report } from '../ci/lib/report.ts'
import { runOrThrow } from '../ci/lib/run.ts'
import type { Consumer } from './consumers.ts'

/** One rehearsal. */
export class Rehearsal {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'brokerwire-rehearsal-'))
  /** The `.npmrc` of each project. */
  npmrc = ''
  readonly #problems: string[] = []
  #steps = 0

  /**
   * Creates a project.
   *
   * @returns Its folder.
   */
  project(name: string, files: Readonly<Record<string, string>> = {}): string {
    const path = join(this.folder, name.replace(/\W+/g, '-'))
    mkdirSync(path)
    const manifest = { name: 'rehearsal', private: true, type: 'module' }
    const own = { 'package.json': JSON.stringify(manifest), '.npmrc': this.npmrc }
    for (const [file, text] of Object.entries({ ...own, ...files })) writeFileSync(join(path, file), text)
    return path
  }

  /**
   * Runs a step.
   *
   * @param work - Throws an error if the step fails.
   */
  async step(title: string, work: () => Promise<unknown>): Promise<void> {
    const startedAt = performance.now()
    const problem = await work().then(
      () => undefined,
      (error: unknown) => String(error).slice(0, 1500),
    )
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`${problem === undefined ? 'ok    ' : 'FAILED'}  ${seconds.padStart(6)} s  ${title}`)
    if (problem !== undefined) this.#problems.push(`${title}: ${problem}`)
    this.#steps += 1
  }

  /**
   * Installs the packages of a consumer, and runs its program.
   *
   * @param packages - Arguments of `npm install`.
   */
  async consume({ name, installs, run }: Consumer, packages: readonly string[]): Promise<void> {
    await this.step(`${name}: installs ${installs.join(', ')} and runs`, async () => {
      const cwd = this.project(name)
      await runOrThrow('npm', ['install', ...packages, '--no-audit', '--no-fund'], { cwd })
      const simulator = await startSimulator({ environment: 'sandbox' })
      try {
        await run(cwd, simulator)
      } finally {
        await simulator.close()
      }
    })
  }

  /** Reports the failed steps, and removes the folder. */
  end(title: string): void {
    report(title, this.#problems, `${this.#steps} steps`)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
