/**
 * `pnpm proof repeat [--runs N] [--only NAME]`: repeats the tests in random order to find flaky tests. Every
 * second run keeps all cores busy. `--only` is a vitest project, such as `node`, or a part of a file's path.
 */
import { availableParallelism } from 'node:os'
import { startChild } from '@brokerwire/testing/child'
import config from '../../vitest.config.ts'
import { run as runProgram } from '../ci/lib/run.ts'
import type { BusyCommands } from './busy-process.ts'
import type { Case, Proof } from './harness.ts'

const PROJECTS = (config.test?.projects ?? []).flatMap((project) =>
  typeof project === 'object' && 'test' in project ? [String(project.test?.name)] : [],
)
/** Tests of `--short`. They use many timers and sockets. */
const SHORT = ['trade-stream.node.test.ts', 'bad-service.node.test.ts']

/**
 * Starts processes that keep all cores busy.
 *
 * @returns A function that ends them.
 */
async function keepCoresBusy(): Promise<() => Promise<unknown>> {
  const program = new URL('busy-process.ts', import.meta.url)
  const children = await Promise.all(
    Array.from({ length: availableParallelism() }, () => startChild<BusyCommands>(program)),
  )
  await Promise.all(children.map((child) => child.call('compute')))
  return () => Promise.all(children.map((child) => child.kill()))
}

function repetition(seed: number, number: number, names: readonly string[], only: string): Case {
  // The seed also decides whether the machine is busy, so that the same seed repeats the same run.
  const isBusy = seed % 2 !== 0
  return {
    name: `run ${number}: seed ${seed}, cores ${isBusy ? 'busy' : 'idle'}`,
    rerunArguments: `--runs 1 --seed ${seed}${only}`,
    async run(context) {
      if (isBusy) context.atEnd(await keepCoresBusy())
      const projects = names.filter((name) => PROJECTS.includes(name)).map((name) => `--project=${name}`)
      const files = names.filter((name) => !PROJECTS.includes(name))
      const args = ['run', ...projects, '--sequence.shuffle', `--sequence.seed=${seed}`, ...files]
      const { status, output } = await runProgram('vitest', args, { env: { NO_COLOR: '1' } })
      context.check(status === 0, `\n${output.trimEnd()}\n`)
      return {}
    },
  }
}

export const proof: Proof = {
  flags: { runs: 'runs of the tests (20; short: 2)' },
  only: 'vitest projects, or tests',
  cases({ flag, seed, only, short }) {
    const names = only.length === 0 && short ? SHORT : only
    const given = only.map((name) => ` --only '${name}'`).join('')
    return Array.from({ length: flag('runs', 20, 2) }, (_, index) =>
      repetition(seed + index, index + 1, names, given),
    )
  },
}
