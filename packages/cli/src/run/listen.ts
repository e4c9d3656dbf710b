/** Runs `brokerwire listen`. */
import { type Brokerage, createBrokerage } from '@brokerwire/client'
import type { TokenProvider } from '@brokerwire/core'
import { unreachable } from '@brokerwire/core/internal'
import { createFileStore } from '@brokerwire/stores/file'
import { type MissingValue, optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Invocation, Run } from '../frame/definition.ts'
import { getHost } from '../get-host.ts'
import type { GuardedIo } from '../io.ts'
import { openCursorFile } from '../listen/cursor-file.ts'
import { getProgress, watchFirstConnection } from '../listen/first-connection.ts'
import type { Forward } from '../listen/forward.ts'
import { jsonLine } from '../listen/json-line.ts'
import { createLimits, getEarlyEndStatus, getEndStatus, type Limits } from '../listen/limits.ts'
import type { OpenedStream } from '../listen/opened-stream.ts'
import { EVENT_STREAMS, type EventStream } from '../listen/streams.ts'
import { parseModules } from '../parse-modules.ts'
import { eventLine } from '../render/event-line.ts'
import { type Line, renderLine } from '../render/line.ts'
import { noticeLine } from '../render/notice-line.ts'
import { createPaint } from '../render/palette.ts'
import { undecodableLine } from '../render/undecodable-line.ts'
import {
  type Connection,
  parseList,
  readConnection,
  readSettings,
  requireAccounts,
  requireStore,
  type SettingFlags,
} from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { StreamItem } from '../stream-item.ts'
import { receivedText } from '../suggestion.ts'
import { openTokens } from '../token/open.ts'
import { requireToken } from '../token/usable.ts'
import type { QuoteFlags } from './listen-quotes.ts'

/** Flags of commands that listen to a stream. */
export interface StreamFlags extends SettingFlags {
  readonly modules?: string
  readonly subscribeType?: number
  readonly cursor?: string
  readonly from?: string
  readonly count?: number
  readonly timeout?: string
  readonly maxAttempts: number
  readonly verbose?: boolean
  readonly withToken?: boolean
  readonly create?: boolean
}

interface ListenFlags extends StreamFlags {
  readonly json?: boolean
  readonly forwardTo?: string
  readonly webhookSecretFile?: string
}

/** Handles an item of a stream. The next item is read when the promise resolves. */
export type HandleItem = (item: StreamItem) => void | Promise<void>

export const run: Run<ListenFlags> = async (invocation) => {
  if (invocation.args[0] !== 'quotes') return listenToEvents(invocation)
  const { listenQuotes } = await import('./listen-quotes.ts')
  return listenQuotes(invocation as Invocation<QuoteFlags>)
}

const listenToEvents: Run<ListenFlags> = async (invocation) => {
  const { flags, io } = invocation
  const paint = createPaint(io.color)
  await using forward = await openForward(flags, io)
  return await listenToStream(invocation, (opened) => {
    const { stream } = opened
    const formatItem = (item: StreamItem): Line => {
      if (item.type === 'notice') return noticeLine(stream, item, flags.verbose)
      if (item.type === 'undecodable') return undecodableLine(stream, item)
      return eventLine(item, item.receivedAtMs)
    }
    forward?.begin(opened, (line) => (flags.json ? io.err : io.out)(renderLine(line, paint)))
    return (item) => {
      const line = flags.json ? jsonLine(stream, item) : renderLine(formatItem(item), paint)
      io.out(item.type === 'undecodable' ? io.redact(line) : line)
      return forward?.send(item)
    }
  })
}

/** Opens the receiver of `--forward-to`. */
async function openForward(
  { forwardTo, webhookSecretFile }: ListenFlags,
  io: GuardedIo,
): Promise<Forward | undefined> {
  if (forwardTo === undefined) {
    if (webhookSecretFile !== undefined)
      throw optionError('--webhook-secret-file', 'must be given together with --forward-to')
    return undefined
  }
  const { createForward } = await import('../listen/forward.ts')
  return createForward(forwardTo, webhookSecretFile, io)
}

/**
 * Listens to a stream until stopped.
 *
 * @param begin - Called once, before the stream is opened.
 * @param missing - Required flags of the caller that are missing.
 */
export async function listenToStream(
  { args, flags, io }: Invocation<StreamFlags>,
  begin: (followed: OpenedStream) => HandleItem,
  missing: readonly MissingValue[] = [],
): Promise<number> {
  const stream = EVENT_STREAMS.find((one) => one === args[0])
  if (stream === undefined) throw optionError('<stream>', `must be ${EVENT_STREAMS.join(' or ')}`)
  const settings = await readSettings(flags, io)
  const connection = await readConnection(flags, settings, io, {
    settings: stream === 'module' ? [] : ['accounts'],
    missing: [...missing, ...missingSubscribeType(stream, flags)],
  })
  const limits = createLimits(flags, io)
  const end = (error: unknown): number =>
    getEarlyEndStatus(error, flags.count, 'events', { flags, limits, io })
  if (flags.create) {
    if (!flags.withToken)
      throw optionError(
        '--create',
        'must be given together with --with-token: it creates the token of the stream',
      )
    await using tokens = await openTokens(flags, io)
    const ended = await requireToken(tokens, flags, { ...io, signal: limits.signal }).catch(end)
    if (ended !== undefined) return ended
  }
  const { cursor } = flags
  const opened =
    cursor === undefined
      ? undefined
      : await openCursorFile(cursor, limits.signal, () =>
          io.err(`${cursor}: another listener uses this file; waiting until it ends`),
        ).catch(end)
  if (typeof opened === 'number') return opened
  // The cursor file is closed after the brokerage below, because the brokerage writes its last cursors when
  // it closes.
  await using cursors = opened
  const accessTokens = flags.withToken ? storedToken(connection, settings, io) : 'never'
  await using brokerage = createBrokerage({
    ...connection,
    store: cursors?.store,
    streams: { accessTokens },
    observer: {
      onStreamAttempt({ attempt }) {
        if (flags.verbose)
          io.err(`${stream} stream: attempt ${attempt} to ${getHost(getUrl(brokerage, stream))}`)
      },
    },
  })
  const items = openStream(brokerage, stream, flags, settings, limits.signal, io)
  const handleItem = begin({ stream, connection, settings, signal: limits.signal })
  return await consume(items, {
    host: getHost(getUrl(brokerage, stream)),
    flags,
    limits,
    io,
    take: handleItem,
  })
}

/**
 * Reads the token for each attempt, so that an attempt uses a token that another process has renewed. The
 * provider never creates a token.
 */
function storedToken(connection: Connection, settings: Settings, io: GuardedIo): TokenProvider {
  const store = createFileStore({ directory: requireStore(settings) })
  const { accessTokens } = createBrokerage({ ...connection, store })
  return {
    origin: accessTokens.origin,
    async get() {
      const found = await accessTokens.peek()
      if (found !== undefined) io.keepSecret(found.token.reveal())
      return found
    },
    // A rejected subscription does not show that the token is invalid. Only an HTTP response shows that a
    // token has ended.
    reportRejected: async () => ({ changed: false }),
  }
}

const getUrl = ({ endpoint }: Brokerage, stream: EventStream): string | undefined =>
  stream === 'module' ? endpoint.moduleEventsUrl : endpoint.eventsUrl

function openStream(
  brokerage: Brokerage,
  stream: EventStream,
  flags: StreamFlags,
  settings: Settings,
  signal: AbortSignal,
  io: GuardedIo,
): AsyncIterable<StreamItem> {
  switch (stream) {
    case 'trade':
      return brokerage.tradeEvents({ accounts: requireAccounts(settings), signal })
    case 'position':
      return brokerage.positionEvents({ accounts: requireAccounts(settings), signal })
    case 'account': {
      const { subscribeType = 0 } = flags
      return brokerage.accountEvents({ accounts: requireAccounts(settings), subscribeType, signal })
    }
    case 'module': {
      const named = flags.modules === undefined ? undefined : parseList(flags.modules)
      if (named?.length === 0)
        throw optionError('--modules', 'must be names separated by commas; received none')
      const { modules, warnings } = parseModules(named)
      for (const remark of warnings) io.err(remark)
      return brokerage.moduleEvents({ modules, signal, from: parseFrom(flags.from), consumer: 'cli' })
    }
    default:
      return unreachable(stream)
  }
}

/**
 * Returns the missing flag of the account stream. Its subscribe type has no default, because sources disagree
 * about it.
 */
const missingSubscribeType = (
  stream: EventStream,
  { subscribeType }: StreamFlags,
): readonly MissingValue[] =>
  stream === 'account' && subscribeType === undefined
    ? [{ name: 'subscribe type', flag: '--subscribe-type <n>' }]
    : []

function parseFrom(
  text: string | undefined,
): 'cursor' | 'now' | Readonly<Record<string, string>> | undefined {
  if (text === undefined || text === 'cursor' || text === 'now') return text
  const pairs = parseList(text).map((pair) => {
    const at = pair.indexOf('=')
    if (at < 1 || at === pair.length - 1)
      throw optionError('--from', `must be cursor, now, or EVENT_TYPE=POSITION${receivedText(pair)}`)
    return [pair.slice(0, at), pair.slice(at + 1)] as const
  })
  return Object.fromEntries(pairs)
}

interface ConsumeContext {
  readonly host: string
  readonly flags: StreamFlags
  readonly limits: Limits
  readonly io: GuardedIo
  readonly take: HandleItem
}

async function consume(items: AsyncIterable<StreamItem>, consuming: ConsumeContext): Promise<number> {
  const { host, flags, take } = consuming
  const watch = watchFirstConnection(flags.maxAttempts, host)
  let remaining = flags.count ?? Number.POSITIVE_INFINITY
  try {
    for await (const item of items) {
      await take(item)
      if (item.type === 'event') remaining -= 1
      if (remaining <= 0) {
        // Acknowledged here, because the loop would acknowledge an event only when it requests the next one,
        // which does not happen here.
        if (item.type === 'event' && 'ack' in item) item.ack()
        return EXIT.done
      }
      watch(getProgress(item))
    }
    return EXIT.done
  } catch (error) {
    return getEndStatus(error, remaining, 'events', consuming)
  }
}
