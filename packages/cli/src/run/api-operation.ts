/** Runs `brokerwire api OPERATION`. */
import {
  isBrokerwireError,
  type Operation,
  type OperationRequest,
  type OperationResponseInput,
  type PathFamily,
} from '@brokerwire/core'
import { isRejection, revealSecret } from '@brokerwire/core/internal'
import {
  type Fields,
  isOperationsError,
  type OperationClient,
  type Page,
  type PagedOperation,
  paginate,
} from '@brokerwire/operations'
import type { TableRow } from '@brokerwire/operations/table'
import { confirmRequest, needsConfirmation } from '../api/confirm.ts'
import { listInputFields } from '../api/fields.ts'
import { type InputFlags, nameFlags, readOperationInput } from '../api/input.ts'
import { toJsonLine, toLines, withoutSecrets } from '../api/output.ts'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import type { GuardedIo } from '../io.ts'
import { parseDuration } from '../number-option.ts'
import { printBody, printRequest, signWithoutSending } from '../request/signed-request.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { rejectSecret } from '../settings/reject-secret.ts'
import { openTokens } from '../token/open.ts'
import { requireToken } from '../token/usable.ts'

interface OperationFlags extends SettingFlags, InputFlags {
  readonly list?: boolean
  readonly json?: boolean
  readonly raw?: boolean
  readonly all?: boolean
  readonly maxItems?: number
  readonly allowGuessed?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly reveal?: boolean
  readonly create?: boolean
  readonly timeout: string
}

type Input = Record<string, unknown>
type AnyOperation<Output> = Operation<Input, Output>

const DEFAULT_MAX_ITEMS = 1000

/** Creates the command of an operation. */
export const runOperation =
  (row: TableRow): Run<OperationFlags> =>
  async ({ flags, io }) => {
    rejectCombinations(row, flags)
    const input = await readOperationInput(row, flags, io)
    const { pathFamily = 'current', allowGuessed = false } = flags
    const options = { pathFamily, allowGuessed }
    const request = createRequest(row, input, options)
    for (const { name, field } of listInputFields(row))
      if (field.kind === 'secret') io.keepSecret(revealSecret(input[name]) ?? '')
    let isSent = false
    const onHttpAttempt = ({ path }: { readonly path: string }): void => {
      isSent ||= path === request.path
    }
    const http = { timeoutMs: parseDuration(flags.timeout) }
    await using tokens = await openTokens(flags, io, { http, observer: { onHttpAttempt } })
    const { connection, brokerage } = tokens
    rejectSecret(connection.appSecret, listTexts(input))
    if (flags.dryRun) {
      const { method, path, apiVersion, query, json, headers, authenticated } = request
      const body = json === undefined ? {} : { json }
      const draft = { method, path, apiVersion, query, headers, authenticated, ...body }
      printRequest(await signWithoutSending(draft, connection), io)
      return EXIT.done
    }
    const isAsked = needsConfirmation(row, connection, flags, io)
    if (request.authenticated) await requireToken(tokens, flags, io)
    if (isAsked && !(await confirmRequest(row, input, connection, io))) {
      io.err('the request was not sent')
      return EXIT.no
    }
    try {
      await sendAndPrint(row, input, { ...options, signal: io.signal }, brokerage.http, flags, io)
      return EXIT.done
    } catch (error) {
      reportOutcome(row, request, isSent, error, flags, io)
      throw error
    }
  }

/**
 * Rejects flags that cannot be combined.
 *
 * @throws CliError `CLI_OPTION_INVALID`
 */
function rejectCombinations(row: TableRow, flags: OperationFlags): void {
  const { list, json, raw, all, maxItems, reveal } = flags
  if (list) throw optionError('--list', `must be given without an operation; received ${row.name}`)
  if (raw && (json || all))
    throw optionError('--raw', `must not be given together with ${json ? '--json' : '--all'}`)
  if (all && !row.paged)
    throw optionError('--all', `must be used with a list that has pages; ${row.name} has none`)
  if (maxItems !== undefined && !all) throw optionError('--max-items', 'must be given together with --all')
  if (raw && !reveal && row.responseSecrets !== undefined)
    throw optionError('--raw', 'must be given together with --reveal: the response contains a token')
}

/** Creates the request, so that errors in the input are found before a token is requested. */
function createRequest(
  row: TableRow,
  input: Input,
  options: Parameters<TableRow['createRequest']>[1],
): OperationRequest {
  try {
    return (row as AnyOperation<unknown>).createRequest(input, options)
  } catch (error) {
    if (!isOperationsError(error, 'OPERATION_INPUT_INVALID')) throw error
    const [flag, problem] = nameFlags(error.message, error.details.field, row) ?? []
    throw flag === undefined || problem === undefined ? error : optionError(flag, problem)
  }
}

/** Returns all strings of the input, with their fields. */
function listTexts(input: unknown, name = '--input'): readonly (readonly [string, string])[] {
  if (typeof input === 'string') return [[name, input]]
  if (typeof input !== 'object' || input === null) return []
  return Object.entries(input).flatMap(([key, value]) => [
    [name, key] as const,
    ...listTexts(value, Array.isArray(input) ? name : key),
  ])
}

interface SendOptions {
  readonly pathFamily: PathFamily
  readonly allowGuessed: boolean
  readonly signal: AbortSignal
}

type Http = Awaited<ReturnType<typeof openTokens>>['brokerage']['http']

async function sendAndPrint(
  row: TableRow,
  input: Input,
  options: SendOptions,
  http: Http,
  flags: OperationFlags,
  io: GuardedIo,
): Promise<void> {
  const operation = row as AnyOperation<unknown>
  if (flags.raw) {
    // The response is not decoded, because a difference from the table must not hide it.
    const raw = { ...operation, readResponse: () => ({ data: undefined, issues: [] }) }
    const text = (await http.request(raw, input, options)).text()
    printBody(text, io)
    return
  }
  const printer = createPrinter(flags, io)
  if (flags.all) {
    await printPages(row, input, options, http, flags.maxItems ?? DEFAULT_MAX_ITEMS, printer, io)
    return
  }
  const { data, issues } = await http.request(operation, input, options)
  for (const { path, expected } of issues)
    io.err(
      `warning: ${path.join('.')} of the response must be ${expected}; it is printed as received, in "extra"`,
    )
  const shown = flags.reveal ? data : withoutSecrets(data, row.responseSecrets ?? [])
  if (flags.json || !row.paged) return printer(shown)
  const { items, next } = shown as Page<unknown, Input>
  printer(items)
  if (next !== undefined) io.err(`there are more pages: use --all, or --input with ${toJsonLine(next)}`)
}

/** Prints a value as one line of JSON, or as lines for people. */
function createPrinter({ json }: OperationFlags, io: GuardedIo): (value: unknown) => void {
  return (value) => {
    const lines = json ? [toJsonLine(value)] : toLines(value)
    if (lines.length === 0) io.err('the response is empty')
    for (const line of lines) io.out(line)
  }
}

async function printPages(
  row: TableRow,
  input: Input,
  options: SendOptions,
  http: Http,
  maxItems: number,
  printer: (value: unknown) => void,
  io: GuardedIo,
): Promise<void> {
  const paged = row as unknown as PagedOperation<Fields, unknown>
  let count = 0
  for await (const item of paginate(http as OperationClient<SendOptions>, paged, input, options)) {
    if (count === maxItems) {
      io.err(`stopped after ${maxItems} items; --max-items sets another bound`)
      return
    }
    count += 1
    printer(item)
  }
  if (count === 0) io.err('the list is empty')
}

/** Reports the outcome of a failed request as far as it is known, in addition to the error itself. */
function reportOutcome(
  row: TableRow,
  request: OperationRequest,
  isSent: boolean,
  error: unknown,
  flags: OperationFlags,
  io: GuardedIo,
): void {
  if (isOperationsError(error, 'OPERATION_RESPONSE_INVALID')) {
    const body = error.response && readText(error.response)
    if (body !== undefined && (flags.reveal || row.responseSecrets === undefined)) printBody(body, io)
    return
  }
  if (row.effect === undefined || !isSent || isWithoutEffect(error)) return
  const what =
    row.effect === 'orders'
      ? 'an order may have been placed, replaced or cancelled. Read it with `brokerwire api orders.get` before you send another request'
      : 'the token may have been created or replaced'
  io.err(`${request.method} ${request.path} was sent, and its outcome is unknown: ${what}`)
}

/** Returns the body; `undefined` if it is not text. */
function readText(response: OperationResponseInput): string | undefined {
  try {
    return response.text()
  } catch {
    return undefined
  }
}

/**
 * Whether the error shows that the request had no effect. After any other error, for example of a stopped
 * command, the effect is unknown.
 */
function isWithoutEffect(error: unknown): boolean {
  if (!isBrokerwireError(error)) return false
  return error.code === 'HTTP_NOT_SENT' || isRejection(error)
}
