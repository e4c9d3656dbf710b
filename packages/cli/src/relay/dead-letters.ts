/** Reads the file of dead letters that `brokerwire relay` writes, and keeps the position of a replay in a file next to it. */
import { existsSync } from 'node:fs'
import { isRecord } from '@brokerwire/core/internal'
import { fileError } from '../cli-error.ts'
import { readBytes, readText } from '../input.ts'
import { replaceFile } from '../replace-file.ts'

/** The longest file: the default of `sink.deadLetters.maxBytes`. */
const MAX_BYTES = 1024 ** 3
const VERSION = 1
const LINE_FEED = 10
const HEAD = '{"v":'
const EVENTS = ',"events":['
/** The ids that a signature can contain. */
const WEBHOOK_ID = /^[!-~]{1,256}$/

/** The request of a line. */
export interface DeadLetterRequest {
  /** The number of the line, from 1. */
  readonly line: number
  readonly webhookId: string
  readonly contentType: string
  /** The events as they were sent. They are not parsed and serialized again, because numbers would lose digits. */
  readonly body: Buffer
}

export interface DeadLetters {
  readonly requests: readonly DeadLetterRequest[]
  /** Numbers of incomplete lines. The relay was killed while it wrote them, and sends or writes their events again. */
  readonly incomplete: readonly number[]
}

/**
 * Reads a file, and checks all of it.
 *
 * @throws CliError `CLI_INPUT_UNREADABLE`.
 */
export async function readDeadLetters(file: string): Promise<DeadLetters> {
  const bytes = Buffer.from(await readBytes(file, MAX_BYTES))
  const requests: DeadLetterRequest[] = []
  const incomplete: number[] = []
  let line = 0
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start)
    const text = bytes.toString('utf8', start, end === -1 ? bytes.length : end)
    start = end === -1 ? bytes.length : end + 1
    line += 1
    if (text === '') continue
    const request = parseLine(file, line, text)
    if (request === undefined) incomplete.push(line)
    else requests.push(request)
  }
  return { requests, incomplete }
}

/** @returns `undefined` if the line is incomplete. */
function parseLine(file: string, line: number, text: string): DeadLetterRequest | undefined {
  const fail = (problem: string) => fileError(`${file} line ${line}`, problem)
  let letter: unknown
  try {
    letter = JSON.parse(text)
  } catch {
    if (text.startsWith(HEAD) || HEAD.startsWith(text)) return undefined
  }
  if (!isRecord(letter) || typeof letter.webhookId !== 'string' || !Array.isArray(letter.events))
    throw fail('must be a line of a file of dead letters; received another text')
  if (letter.v !== VERSION)
    throw fail(`must have version ${VERSION}; received another one. Update @brokerwire/cli`)
  const { events, webhookId } = letter
  if (!WEBHOOK_ID.test(webhookId))
    throw fail('must have 1 to 256 visible ASCII characters in webhookId; received another text')
  const isBatch = letter.batch === true || events.length !== 1
  const list = text.slice(text.indexOf(EVENTS) + EVENTS.length, text.lastIndexOf(']'))
  return {
    line,
    webhookId,
    contentType: `application/cloudevents${isBatch ? '-batch' : ''}+json; charset=utf-8`,
    body: Buffer.from(isBatch ? `[${list}]` : list),
  }
}

const positionFile = (file: string): string => `${file}.position`

/** The last line that the receiver has accepted. */
interface Position {
  readonly line: number
  readonly webhookId: string
}

/**
 * Stores the position of a replay.
 *
 * @throws CliError `CLI_INPUT_UNREADABLE` if the file cannot be written.
 */
export async function writePosition(file: string, { line, webhookId }: Position): Promise<void> {
  const name = positionFile(file)
  try {
    await replaceFile(name, `${JSON.stringify({ v: VERSION, line, webhookId })}\n`)
  } catch (error) {
    const reason = (error as { readonly code?: unknown }).code ?? 'unknown reason'
    throw fileError(name, `cannot be written: ${reason}. The next run sends line ${line} again`)
  }
}

/**
 * Returns the requests after the stored position.
 *
 * @throws CliError `CLI_INPUT_UNREADABLE` if the position cannot be read, or belongs to another file.
 */
export async function requestsAfterPosition(
  file: string,
  requests: readonly DeadLetterRequest[],
): Promise<readonly DeadLetterRequest[]> {
  const name = positionFile(file)
  if (!existsSync(name)) return requests
  const position = parsePosition(await readText(name))
  const at = requests.findIndex(
    ({ line, webhookId }) => line === position?.line && webhookId === position.webhookId,
  )
  if (at === -1)
    throw fileError(
      name,
      `must be the position of an earlier replay of ${file}; it has another content. Delete it to send all lines`,
    )
  return requests.slice(at + 1)
}

function parsePosition(text: string): Position | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? (value as unknown as Position) : undefined
  } catch {
    return undefined
  }
}
