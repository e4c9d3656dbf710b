/** Resident memory at the same number of messages a second, each turn in a fresh process. */
import { median, table } from '../figures.ts'
import { rotated } from './judge.ts'
import type { Stage } from './processes.ts'

const CONTENDERS = ['ours', 'supervised', 'connect-node', 'grpc-js', 'raw node:http2'] as const
/** The first that every contender keeps up with is taken. */
const RATES = [50_000, 40_000, 20_000, 10_000, 5000] as const
/** Who takes longer than this, in proportion, does not keep up. */
const TOLERANCE = 1.1

export interface MemoryOptions {
  readonly turns: number
  readonly seconds: number
}

export async function measureMemory(stage: Stage, options: MemoryOptions): Promise<Record<string, number>> {
  for (const rate of RATES) {
    const samples = await measureAt(stage, rate, options)
    if (samples === undefined) continue
    const rss = (name: string): number => median(samples[name] ?? [])
    console.log(
      table([
        [`memory at ${rate.toLocaleString('en')} messages/s`, 'RSS MiB'],
        ...CONTENDERS.map((name) => [name, (rss(name) / 2 ** 20).toFixed(0)]),
      ]),
    )
    console.log()
    const against = (name: string): number => Number((rss(name) / rss('connect-node')).toFixed(3))
    return {
      'rss.vs_connect_node': against('ours'),
      'rss.supervised.vs_connect_node': against('supervised'),
    }
  }
  throw new Error(`nobody keeps up with ${RATES.at(-1)} messages/s: this machine is too busy`)
}

/** Of every contender the samples of each second half; `undefined` where somebody does not keep up. */
async function measureAt(
  stage: Stage,
  perSecond: number,
  { turns, seconds }: MemoryOptions,
): Promise<Record<string, number[]> | undefined> {
  const samples: Record<string, number[]> = {}
  for (let turn = 0; turn < turns; turn += 1) {
    for (const name of rotated(CONTENDERS, turn)) {
      const client = await stage.start(name, 'client')
      const run = await client.run({ kind: 'paced', perSecond, messages: perSecond * seconds })
      client.end()
      if (run.client.seconds > seconds * TOLERANCE) return undefined
      const { rssSamples } = run.client
      samples[name] = [...(samples[name] ?? []), ...rssSamples.slice(Math.floor(rssSamples.length / 2))]
    }
  }
  return samples
}
