/** A captured request as people keep it: JSON in a file or on standard input. */
import { parseJsonObject } from '@brokerwire/core'
import type { CapturedRequest, CapturedStream } from '@brokerwire/signer'
import { CliError, optionError } from '../cli-error.ts'
import { readBytes } from '../input.ts'
import { readInput } from '../input-stream.ts'
import type { GuardedIo } from '../io.ts'

/** Flags of the body. */
export interface BodyFlags {
  readonly body?: string
  readonly bodyFile?: string
}

const MAX_TEXT_BYTES = 16 * 1024 * 1024

/** The text of a file, or of standard input. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function readText(file: string, io: GuardedIo): Promise<string> {
  if (file === '-') return readInput(io, MAX_TEXT_BYTES)
  return new TextDecoder().decode(await readBytes(file))
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
  return json === undefined ? text.replace(/\r?\n$/, '') : capturedOf(json, flags)
}

/** A captured request. @throws CliError `CLI_INPUT_UNREADABLE` where it is none. */
export async function readCaptured(
  file: string,
  flags: BodyFlags,
  io: GuardedIo,
): Promise<CapturedRequest | CapturedStream> {
  const read = await readCapturedOrText(file, flags, io)
  if (typeof read !== 'string') return read
  const expected = 'a captured request: JSON with url and headers'
  throw new CliError('CLI_INPUT_UNREADABLE', `${file}: expected ${expected}`, { details: { file, expected } })
}

async function capturedOf(
  json: Record<string, unknown>,
  flags: BodyFlags,
): Promise<CapturedRequest | CapturedStream> {
  if (flags.body !== undefined && flags.bodyFile !== undefined)
    throw optionError('--body', 'one of --body and --body-file')
  const body = flags.bodyFile === undefined ? flags.body : await readBytes(flags.bodyFile)
  // What is missing or wrong in it is said by the signer, by name.
  const { requestHex, ...request } = json
  if (typeof requestHex === 'string' || json.url === undefined) {
    const requestBytes = body ?? Buffer.from(String(requestHex ?? ''), 'hex')
    return { ...request, requestBytes } as unknown as CapturedStream
  }
  return { ...request, ...(body === undefined ? {} : { body }) } as unknown as CapturedRequest
}
