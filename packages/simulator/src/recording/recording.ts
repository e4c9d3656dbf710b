/**
 * Reads recordings. Each line is one JSON object, in the format of `brokerwire listen --json`. The whole file
 * is validated before anything is replayed.
 */
import { isRecord, received, receivedName } from '@brokerwire/core/internal'
import { SimulatorError } from '../simulator-error.ts'
import { MAX_DATE_MS } from '../time/offset-clock.ts'

/** Fields of every recorded event. */
interface RecordedFields {
  /** Receive time, milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
  /** The payload, byte for byte as it was received. */
  readonly payload: string
}

/** An event of a recording. Decoded fields are not stored, because the payload contains them. */
export type RecordedEvent =
  | (RecordedFields & {
      /** Stream that the event was received on. */
      readonly stream: 'trade' | 'position' | 'account'
      /** Kind of the event on its stream. */
      readonly kind: string
      /** Fields of the received frame. */
      readonly frame: {
        /** Event type code of the frame. */
        readonly eventType: number
        /** Content type of the payload. */
        readonly contentType: string
        /** Identifier of the delivery. */
        readonly requestId: string
        /** Milliseconds since the Unix epoch, as a string. */
        readonly timestamp: string
      }
    })
  | (RecordedFields & {
      readonly stream: 'module'
      /** Kind of the event on its stream. */
      readonly kind: string
      /** Fields of the received frame. */
      readonly frame: {
        /** Identifier of the event. */
        readonly id: string
        /** Event type of the frame. */
        readonly eventType: string
        /** Cursor of the event; empty if it has none. */
        readonly position: string
        /** Timestamp of the frame, as it was received. */
        readonly timestamp: string
        /** Version field of the frame. */
        readonly version: string
      }
    })

/** A parsed recording. */
export interface Recording {
  /** The events in the order of the file. */
  readonly events: readonly RecordedEvent[]
  /**
   * Accounts in payloads of the trade service, in the order of their first appearance. At most ten thousand
   * are listed.
   */
  readonly accounts: readonly string[]
  /** Number of lines that contain a notice or an undecodable message. They are not replayed. */
  readonly notices: number
}

const MAX_TEXT = 256 * 1024 * 1024
const STREAMS = ['trade', 'position', 'account', 'module'] as const
const KINDS = ['order', 'position', 'option', 'module', 'unknown'] as const

type Check = (value: unknown) => boolean
type Rule = readonly [expected: string, isRight: Check]

const oneOf = (names: readonly string[]): Rule => [
  `one of ${names.map((name) => `'${name}'`).join(', ')}`,
  (value) => names.includes(value as string),
]
const TEXT: Rule = ['a string', (value) => typeof value === 'string']
const NAME: Rule = ['a non-empty string', (value) => typeof value === 'string' && value !== '']
const INSTANT: Rule = [
  `milliseconds since the Unix epoch as text, at most ${MAX_DATE_MS}`,
  (value) => typeof value === 'string' && /^\d{1,16}$/.test(value) && Number(value) <= MAX_DATE_MS,
]
const wholeNumber = (max: number): Rule => [
  `a whole number from 0 to ${max}`,
  (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max,
]

/** Rules for the fields of a line, by path. Fields without a rule contain decoded data and are ignored. */
const COMMON: Readonly<Record<string, Rule>> = {
  kind: oneOf(KINDS),
  receivedAtMs: wholeNumber(MAX_DATE_MS),
  frame: ['an object', isRecord],
  payload: TEXT,
}
const TRADE_FRAME: Readonly<Record<string, Rule>> = {
  'frame.eventType': wholeNumber(2_147_483_647),
  'frame.contentType': TEXT,
  'frame.requestId': TEXT,
  'frame.timestamp': INSTANT,
}
const MODULE_FRAME: Readonly<Record<string, Rule>> = {
  'frame.id': TEXT,
  'frame.eventType': NAME,
  'frame.position': TEXT,
  'frame.timestamp': TEXT,
  'frame.version': TEXT,
}

/**
 * Reads a recording.
 *
 * @param text - Content of the file, as `brokerwire record` and `brokerwire listen --json` write it.
 * @param file - Name of the file. Errors contain it.
 * @throws SimulatorError `SIMULATOR_RECORDING_INVALID`, with line and field
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { readRecording, replaySteps, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * const recording = readRecording(await readFile('morning.jsonl', 'utf8'), 'morning.jsonl')
 * await simulator.startScenario(replaySteps(recording, { speed: 'max' })).done
 * ```
 */
export function readRecording(text: string, file = 'recording'): Recording {
  const wrong = (line: number, field: string, problem: string): Error =>
    new SimulatorError(
      'SIMULATOR_RECORDING_INVALID',
      `${file}, line ${line}: ${field === '' ? '' : `${field} `}${problem}`,
      { details: { file, line, field, problem } },
    )
  if (typeof text !== 'string' || text.length > MAX_TEXT) {
    throw wrong(1, '', `must be a string of at most ${MAX_TEXT} characters`)
  }
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  // The empty string after a final line break is not a line.
  if (lines.at(-1) === '') lines.pop()
  const events: RecordedEvent[] = []
  for (const [index, line] of lines.entries()) {
    const fail = (field: string, problem: string): never => {
      throw wrong(index + 1, field, problem)
    }
    const event = parseLine(line, fail)
    if (event !== undefined) events.push(event)
  }
  return { events, accounts: collectAccounts(events), notices: lines.length - events.length }
}

const MAX_ACCOUNTS = 10_000

function collectAccounts(events: readonly RecordedEvent[]): readonly string[] {
  const accounts = new Set<string>()
  for (const event of events) {
    const account = event.stream === 'module' ? undefined : getAccount(event.payload)
    if (account !== undefined && accounts.size < MAX_ACCOUNTS) accounts.add(account)
  }
  return [...accounts]
}

/** Returns the account in a payload of the trade service. `undefined` if there is none. */
export function getAccount(payload: string): string | undefined {
  try {
    const value: unknown = JSON.parse(payload)
    const account = isRecord(value) ? (value.account_id ?? value.accountId) : undefined
    return typeof account === 'string' && account !== '' ? account : undefined
  } catch {
    return undefined
  }
}

/** Returns the event of a line. `undefined` if the line is a notice or an undecodable message. */
function parseLine(line: string, fail: (field: string, problem: string) => never): RecordedEvent | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    // The error of `JSON.parse` is not used, because its message quotes the input.
    return fail('', 'must be a JSON object')
  }
  if (!isRecord(value)) return fail('', `must be a JSON object; received ${received(value)}`)
  const read: Readonly<Record<string, unknown>> = value
  const check = (rules: Readonly<Record<string, Rule>>): void => {
    for (const [path, [expected, isRight]] of Object.entries(rules)) {
      const [field, inner] = path.split('.') as [string, string?]
      const outer = read[field]
      const found = inner === undefined ? outer : isRecord(outer) ? outer[inner] : undefined
      const show = expected.startsWith('one of') ? receivedName : received
      if (!isRight(found)) fail(path, `must be ${expected}; received ${show(found)}`)
    }
  }
  check({ stream: oneOf(STREAMS), type: oneOf(['event', 'undecodable', 'notice']) })
  if (read.type !== 'event') return undefined
  check({ ...COMMON, ...(read.stream === 'module' ? MODULE_FRAME : TRADE_FRAME) })
  const { stream, kind, receivedAtMs, frame, payload } = read
  return { stream, kind, receivedAtMs, frame, payload } as RecordedEvent
}
