/** Runs `brokerwire listen`. */
import { createBrokerage } from '@brokerwire/client'
import { printableJson } from '@brokerwire/core'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import type { Io } from '../io.ts'
import { chooseModules } from '../modules-option.ts'
import { eventLine } from '../render/event-line.ts'
import { renderLine } from '../render/line.ts'
import { noticeLine } from '../render/notice-line.ts'
import { createPaint } from '../render/palette.ts'
import {
  listOf,
  readConnection,
  readSettings,
  requireAccounts,
  type SettingFlags,
} from '../settings/read-settings.ts'
import type { StreamItem } from '../stream-item.ts'

interface ListenFlags extends SettingFlags {
  readonly modules?: string
  readonly count?: number
  readonly json?: boolean
}

export const run: Run<ListenFlags> = async ({ args, flags, io }) => {
  const stream = args[0] as 'trade' | 'position' | 'module'
  const settings = await readSettings(flags, io)
  await using brokerage = createBrokerage(await readConnection(flags, settings, io))
  if (stream === 'module') {
    const { modules, remarks } = chooseModules(
      flags.modules === undefined ? undefined : listOf(flags.modules),
    )
    for (const remark of remarks) io.err(remark)
    await print(brokerage.moduleEvents({ modules, signal: io.signal }), stream, flags, io)
  } else {
    const accounts = requireAccounts(settings)
    const open = stream === 'trade' ? brokerage.tradeEvents : brokerage.positionEvents
    await print(open({ accounts, signal: io.signal }), stream, flags, io)
  }
  return EXIT.done
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
