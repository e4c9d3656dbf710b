/** A captured request as people keep it: JSON in a file or on standard input. */
import { parseJsonObject } from '@brokerwire/core/internal'
import type { CapturedRequest, CapturedStream } from '@brokerwire/signer'
import { type CliError, fileError, optionError } from '../cli-error.ts'
import { readBytes, readText as readFileText } from '../input.ts'
import { readInput } from '../input-stream.ts'
import type { GuardedIo } from '../io.ts'

/** Flags of the body. */
export interface BodyFlags {
  readonly body?: string
  readonly bodyFile?: string
}

/** What was signed beside URL and headers, as it stands in the JSON of a captured request. */
export type CapturedContent =
  | Readonly<Record<never, never>>
  | { readonly body: string }
  | { readonly bodyHex: string }
  | { readonly requestHex: string }

/** A body in JSON: as its text, or in hexadecimal digits where it is no UTF-8. */
export function contentOf(body: string | Uint8Array | undefined): CapturedContent {
  if (body === undefined) return {}
  if (typeof body === 'string') return { body }
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return { bodyHex: Buffer.from(body).toString('hex') }
  }
}

/** The name of a file in messages. */
export const nameOf = (file: string): string => (file === '-' ? 'standard input' : file)

const MAX_TEXT_BYTES = 16 * 1024 * 1024

/** The text of a file, or of standard input. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function readText(file: string, io: GuardedIo): Promise<string> {
  if (file === '-') return readInput(io, MAX_TEXT_BYTES)
  return readFileText(file)
}

/** A captured request, or the text itself where it is no JSON object. */
export async function readCapturedOrText(
  file: string,
  flags: BodyFlags,
  io: GuardedIo,
): Promise<CapturedRequest | CapturedStream | string> {
  const text = (await readText(file, io)).replace(/^\ufeff/, '')
  const json = parseJsonObject(text)
  // What is no JSON is a canonical string.
  return json === undefined ? text.replace(/\r?\n$/, '') : capturedOf(file, json, flags)
}

/** A captured request. @throws CliError `CLI_INPUT_UNREADABLE` where it is none. */
export async function readCaptured(
  file: string,
  flags: BodyFlags,
  io: GuardedIo,
): Promise<CapturedRequest | CapturedStream> {
  const read = await readCapturedOrText(file, flags, io)
  if (typeof read !== 'string') return read
  throw notCaptured(file)
}

function notCaptured(file: string): CliError<'CLI_INPUT_UNREADABLE'> {
  return fileError(
    nameOf(file),
    'must be a captured request: JSON with url and headers, or with headers and requestHex for a stream',
  )
}

async function capturedOf(
  file: string,
  json: Record<string, unknown>,
  flags: BodyFlags,
): Promise<CapturedRequest | CapturedStream> {
  if (flags.body !== undefined && flags.bodyFile !== undefined)
    throw optionError('--body', 'must not be given together with --body-file')
  const body = flags.bodyFile === undefined ? flags.body : await readBytes(flags.bodyFile)
  // What is missing or wrong in it is said by the signer, by name.
  const { requestHex, bodyHex, ...request } = json
  if (requestHex !== undefined || json.url === undefined) {
    const requestBytes =
      body ?? (requestHex === undefined ? undefined : bytesOf(file, 'requestHex', requestHex))
    if (requestBytes === undefined) throw notCaptured(file)
    return { ...request, requestBytes } as unknown as CapturedStream
  }
  const kept = body ?? (bodyHex === undefined ? undefined : bytesOf(file, 'bodyHex', bodyHex))
  return { ...request, ...(kept === undefined ? {} : { body: kept }) } as unknown as CapturedRequest
}

/** Bytes in hexadecimal digits. Half a digit would be a shorter body, and a wrong signature. */
function bytesOf(file: string, field: string, value: unknown): Uint8Array {
  if (typeof value === 'string' && /^(?:[0-9a-f]{2})*$/i.test(value)) return Buffer.from(value, 'hex')
  throw fileError(`${nameOf(file)}:`, `${field} must be an even number of hexadecimal digits`)
}
