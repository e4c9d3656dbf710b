/**
 * `pnpm bench:cli [--json FILE] [--rounds N]`: how long the installed command line takes to begin, beside `node -e 0`,
 * which no program of Node can be faster than. Processes in turn, forward and backward, as ratios of medians.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPacked } from '../../packed/installed.ts'
import { median, ratioOf, writeRatios } from '../figures.ts'

/** At most so many times as long as `node -e 0`. */
const GOALS = { version: 2.5, help: 4 } as const
const WARM_UP = 3

const { values } = parseArgs({
  options: { json: { type: 'string' }, rounds: { type: 'string', default: '40' } },
})
const folder = mkdtempSync(join(tmpdir(), 'brokerwire-bench-cli-'))
try {
  await installPacked(folder)
  const command = join(folder, 'node_modules/.bin/brokerwire')
  const contenders = {
    node: ['-e', '0'],
    version: [command, '--version'],
    help: [command, '--help'],
    'help of a command': [command, 'listen', '--help'],
    'a TAB': [command, 'complete', '--', 'tok'],
  } as const
  const took: Record<string, number[]> = {}
  const order = Object.entries(contenders)
  for (let round = -WARM_UP; round < Number(values.rounds); round += 1) {
    for (const [name, args] of round % 2 === 0 ? order : [...order].reverse()) {
      const start = performance.now()
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
      const ms = performance.now() - start
      if (status !== 0 || (name !== 'node' && stdout === ''))
        throw new Error(`${args.join(' ')} ended with ${status}:\n${stderr}`)
      // The first ones read files that nobody has read before.
      if (round >= 0) took[name] = [...(took[name] ?? []), ms]
    }
  }
  const ratio = (name: string): number => ratioOf(took, name, 'node')
  console.log(
    `${values.rounds} rounds on Node ${process.versions.node}; node -e 0 takes ${median(took.node ?? []).toFixed(0)} ms`,
  )
  for (const name of Object.keys(contenders).slice(1)) {
    const goal = (GOALS as Readonly<Record<string, number>>)[name]
    const suffix = goal === undefined ? '' : `   goal: at most ${goal}`
    console.log(`${name.padEnd(20)}${ratio(name).toFixed(2).padStart(6)} times node -e 0${suffix}`)
  }
  const ratios = { 'cli.version.vs_node': ratio('version'), 'cli.help.vs_node': ratio('help') }
  writeRatios(values.json, ratios)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
