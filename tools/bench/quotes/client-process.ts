/** One contender in a process of its own: what is compiled for one is not spoilt by another. */
import { CONTENDERS, type Contender } from './contenders.ts'
import { SYMBOLS } from './service.ts'

/** What is asked of one run. */
export interface Turn {
  readonly number: number
  readonly blocks: number
}

const [name = '', port = ''] = process.argv.slice(2)
const contender: Contender = CONTENDERS[name as keyof typeof CONTENDERS]

async function run({ number, blocks }: Turn): Promise<{ readonly size: number; readonly cpuUs: number }> {
  const before = process.cpuUsage()
  const size = await contender(Number(port), `${blocks}-${process.pid}-${number}`, blocks * SYMBOLS)
  const { user, system } = process.cpuUsage(before)
  return { size, cpuUs: user + system }
}

process.on('message', (turn: Turn) => {
  run(turn).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
