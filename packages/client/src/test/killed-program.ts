/** A program that reads trade events with a file store until it is killed, and writes a line for each item. */
import { createFileStore } from '@brokerwire/stores/file'
import { type BrokerageOptions, createBrokerage } from '../brokerage.ts'

const { accounts, directory, ...options } = JSON.parse(process.argv[2] ?? '{}') as BrokerageOptions & {
  readonly accounts: string[]
  readonly directory: string
}
const brokerage = createBrokerage({ ...options, store: createFileStore({ directory }) })
for await (const item of brokerage.tradeEvents({ accounts }))
  process.stdout.write(`${JSON.stringify(item)}\n`)
