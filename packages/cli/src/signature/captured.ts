/** Reads a captured request from a file or standard input. */
import { stripByteOrderMark } from '@brokerwire/core/internal'
import { isSignerError, type RecordedRequest, type RecordedStream } from '@brokerwire/signer'
import { type CliError, fileError, optionError } from '../cli-error.ts'
import { readBytes, readText as readFileText } from '../input.ts'
import { readInput } from '../input-stream.ts'
import type { GuardedIo } from '../io.ts'
import type { RequestFormat } from './formats/names.ts'
import { ParseProblem } from './formats/parsed-request.ts'
import { type FormatOptions, type ReadFormat, readFormat } from './formats/read-format.ts'

/** Flags of commands that read a captured request. */
export interface CapturedFlags {
  readonly body?: string
  readonly bodyFile?: string
  readonly format?: RequestFormat
  readonly entry?: string
}

/** Signed content in addition to URL and headers, in the JSON of a captured request. */
export type CapturedContent =
  | Readonly<Record<never, never>>
  | { readonly body: string }
  | { readonly bodyHex: string }
  | { readonly requestHex: string }

/** Converts a body for JSON: to a string, or to hexadecimal digits if it is not UTF-8. */
export function toContent(body: string | Uint8Array | undefined): CapturedContent {
  if (body === undefined) return {}
  if (typeof body === 'string') return { body }
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return { bodyHex: Buffer.from(body).toString('hex') }
  }
}

/** Returns the name of a file for messages. */
export const getFileName = (file: string): string => (file === '-' ? 'standard input' : file)

const MAX_TEXT_BYTES = 16 * 1024 * 1024

/** Reads the text of a file or of standard input. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function readText(file: string, io: GuardedIo): Promise<string> {
  if (file === '-') return readInput(io, MAX_TEXT_BYTES)
  return readFileText(file)
}

/** Reads a captured request. If the text has no known format, it is returned as a canonical string. */
export async function readCapturedOrText(
  file: string,
  flags: CapturedFlags,
  io: GuardedIo,
): Promise<RecordedRequest | RecordedStream | string> {
  if (flags.body !== undefined && flags.bodyFile !== undefined)
    throw optionError('--body', 'must not be given together with --body-file')
  const text = stripByteOrderMark(await readText(file, io))
  const hasBody = flags.body !== undefined || flags.bodyFile !== undefined
  const read = parseText(file, text, { ...flags, hasBody })
  if (read === undefined) return text.replace(/\r?\n$/, '')
  const body = flags.bodyFile === undefined ? flags.body : await readBytes(flags.bodyFile)
  if (read.type === 'json') return fromJson(file, read.json, body)
  return { ...read.request, ...(body === undefined ? {} : { body }) }
}

/** @throws CliError `CLI_INPUT_UNREADABLE` */
function parseText(file: string, text: string, options: FormatOptions): ReadFormat | undefined {
  try {
    return readFormat(text, options)
  } catch (error) {
    if (!(error instanceof ParseProblem)) throw error
    throw fileError(`${getFileName(file)}:`, error.message)
  }
}

/** Returns a handler for `catch` that adds the name of the file to an error of the signer. */
export const withFileName =
  (file: string) =>
  (error: unknown): never => {
    throw isSignerError(error) ? fileError(`${getFileName(file)}:`, error.message) : error
  }

/** Reads a captured request. @throws CliError `CLI_INPUT_UNREADABLE` if it is invalid. */
export async function readCaptured(
  file: string,
  flags: CapturedFlags,
  io: GuardedIo,
): Promise<RecordedRequest | RecordedStream> {
  const read = await readCapturedOrText(file, flags, io)
  if (typeof read !== 'string') return read
  throw notCapturedError(file)
}

function notCapturedError(file: string): CliError<'CLI_INPUT_UNREADABLE'> {
  return fileError(
    getFileName(file),
    'must be a captured request: a raw HTTP request, a curl command, a HAR, JSON with url and headers, or with headers and requestHex for a stream',
  )
}

function fromJson(
  file: string,
  json: Record<string, unknown>,
  body: string | Uint8Array | undefined,
): RecordedRequest | RecordedStream {
  // The signer validates the other fields and names missing ones.
  const { requestHex, bodyHex, ...request } = json
  if (requestHex !== undefined || json.url === undefined) {
    const requestBytes =
      body ?? (requestHex === undefined ? undefined : parseHex(file, 'requestHex', requestHex))
    if (requestBytes === undefined) throw notCapturedError(file)
    return { ...request, requestBytes } as unknown as RecordedStream
  }
  const kept = body ?? (bodyHex === undefined ? undefined : parseHex(file, 'bodyHex', bodyHex))
  return { ...request, ...(kept === undefined ? {} : { body: kept }) } as unknown as RecordedRequest
}

/**
 * Parses hexadecimal digits. An odd number of digits is rejected, because it would lead to a wrong signature.
 */
function parseHex(file: string, field: string, value: unknown): Uint8Array {
  if (typeof value === 'string' && /^(?:[0-9a-f]{2})*$/i.test(value)) return Buffer.from(value, 'hex')
  throw fileError(`${getFileName(file)}:`, `${field} must be an even number of hexadecimal digits`)
}
