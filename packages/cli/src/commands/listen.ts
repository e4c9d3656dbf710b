/** `brokerwire listen`: events of a stream as lines, until stopped. */
import { createBrokerage } from '@brokerwire/client'
import { printableJson } from '@brokerwire/core'
import { Argument } from 'commander'
import type { AddCommand } from '../add-command.ts'
import { optionError } from '../cli-error.ts'
import {
  addConnectionOptions,
  CONNECTION_ENV,
  type ConnectionFlags,
  readConnection,
} from '../connection-options.ts'
import type { Io } from '../io.ts'
import { chooseModules } from '../modules-option.ts'
import { wholeNumber } from '../number-option.ts'
import { eventLine } from '../render/event-line.ts'
import { renderLine } from '../render/line.ts'
import { noticeLine } from '../render/notice-line.ts'
import { createPaint } from '../render/palette.ts'
import type { StreamItem } from '../stream-item.ts'

const STREAMS = ['trade', 'position', 'module'] as const

interface ListenFlags extends ConnectionFlags {
  readonly accounts?: readonly string[]
  readonly modules?: readonly string[]
  readonly count?: number
  readonly json?: boolean
}

const list = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export const addListen: AddCommand = (program, io, done) => {
  const command = program
    .command('listen')
    .description('print the events of a stream, until stopped')
    .addArgument(new Argument('<stream>').choices(STREAMS))
    .option(
      '--accounts <ids>',
      `of the trade and position streams, separated by commas; otherwise ${CONNECTION_ENV.accounts}`,
      list,
    )
    .option(
      '--modules <names>',
      'of the module stream, separated by commas: modules, or event types; default: all known modules',
      list,
    )
    .option('--count <n>', 'stop after so many events', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--json', 'one JSON object a line, payloads as they were received')
  addConnectionOptions(command).action(async (stream: (typeof STREAMS)[number], flags: ListenFlags) => {
    await using brokerage = createBrokerage(await readConnection(flags, io))
    if (stream === 'module') {
      const { modules, remarks } = chooseModules(flags.modules)
      for (const remark of remarks) io.err(remark)
      await print(brokerage.moduleEvents({ modules, signal: io.signal }), stream, flags, io)
    } else {
      const { accounts = list(io.env[CONNECTION_ENV.accounts] ?? '') } = flags
      if (accounts.length === 0)
        throw optionError('--accounts', `at least one account, here or in ${CONNECTION_ENV.accounts}`)
      const open = stream === 'trade' ? brokerage.tradeEvents : brokerage.positionEvents
      await print(open({ accounts, signal: io.signal }), stream, flags, io)
    }
    done(0)
  })
}

async function print(
  items: AsyncIterable<StreamItem>,
  stream: string,
  flags: ListenFlags,
  io: Io,
): Promise<void> {
  const paint = createPaint(io.color)
  let left = flags.count ?? Number.POSITIVE_INFINITY
  try {
    for await (const item of items) {
      if (flags.json) io.out(printableJson(JSON.stringify({ stream, ...item })))
      else io.out(renderLine(item.type === 'notice' ? noticeLine(stream, item) : eventLine(item), paint))
      if (item.type === 'event') left -= 1
      if (left <= 0) return
    }
  } catch (error) {
    // Being stopped is how this command normally ends.
    if (!io.signal.aborted) throw error
  }
}
