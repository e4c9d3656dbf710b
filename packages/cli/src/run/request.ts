/** Runs `brokerwire request`. */
import { PATHS_WITHOUT_TOKEN } from '@brokerwire/core/endpoints'
import { wrongName } from '@brokerwire/core/internal'
import { optionError, optionFailure } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { MAX_FILE_BYTES, readBytes } from '../input.ts'
import { readInputBytes } from '../input-stream.ts'
import type { GuardedIo } from '../io.ts'
import { parseDuration } from '../number-option.ts'
import { curlCommand, fitsCurl } from '../render/curl.ts'
import { formatHeaders } from '../render/headers.ts'
import { printBody, printRequest, type SignedRequest, signWithoutSending } from '../request/signed-request.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import { rejectSecret } from '../settings/reject-secret.ts'
import { OTHER_VARIABLES } from '../settings/settings.ts'
import { toContent } from '../signature/captured.ts'
import { splitPair } from '../split-pair.ts'
import { openTokens } from '../token/open.ts'
import { requireToken } from '../token/usable.ts'

interface RequestFlags extends SettingFlags {
  readonly query?: readonly string[]
  readonly body?: string
  readonly bodyFile?: string
  readonly header?: readonly string[]
  readonly apiVersion?: 'v2' | 'v3'
  readonly token: boolean
  readonly create?: boolean
  readonly include?: boolean
  readonly dryRun?: boolean
  readonly curl?: boolean
  readonly timeout: string
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

/** A request before it is signed. */
interface UnsignedRequest {
  readonly method: Method
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly body: Uint8Array | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly authenticated: boolean
}

export const run: Run<RequestFlags> = async ({ args, flags, io }) => {
  const method = METHODS.find((name) => name === String(args[0]).toUpperCase())
  if (method === undefined) throw wrongName(optionFailure, '<method>', String(args[0]), METHODS)
  if (flags.create && !flags.token)
    throw optionError('--create', 'must not be given together with --no-token')
  const path = String(args[1])
  const body = await readBody(flags, io)
  const given = (flags.header ?? []).map((header) => splitPair(header, ':', '--header'))
  const unsigned: UnsignedRequest = {
    method,
    path,
    query: (flags.query ?? []).map((pair) => splitPair(pair, '=', '--query')),
    body,
    // Names are in lower case, because --header 'Content-Type: ...' replaces the default, and the client
    // rejects two spellings of a name.
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value])),
    },
    authenticated: flags.token && !PATHS_WITHOUT_TOKEN.includes(path),
  }
  const timeoutMs = parseDuration(flags.timeout)
  await using tokens = await openTokens(flags, io, { http: { timeoutMs } })
  const { connection } = tokens
  rejectSecret(connection.appSecret, listValues(unsigned))
  const { apiVersion } = flags
  const signed = await signWithoutSending({ ...unsigned, apiVersion }, connection)
  if (flags.dryRun || flags.curl) {
    if (flags.curl) printCurl(signed, unsigned, io)
    else printRequest(signed, io)
    return EXIT.done
  }
  if (unsigned.authenticated) await requireToken(tokens, flags, io)
  const response = await tokens.brokerage.http.request({
    ...unsigned,
    apiVersion,
    signal: io.signal,
  })
  if (flags.include) {
    io.out(String(response.status))
    for (const line of formatHeaders(response.headers)) io.out(line)
    io.out('')
  }
  if (response.bytes.length > 0) printBody(response.text(), io)
  return EXIT.done
}

/** Returns the values from the user, with the names of their options. */
function listValues({ path, query, headers, body }: UnsignedRequest): readonly (readonly [string, string])[] {
  return [
    ['<path>', path],
    ...query.flat().map((text) => ['--query', text] as const),
    ...Object.entries(headers)
      .flat()
      .map((text) => ['--header', text] as const),
    ['--body', new TextDecoder().decode(body)],
  ]
}

async function readBody({ body, bodyFile }: RequestFlags, io: GuardedIo): Promise<Uint8Array | undefined> {
  if (body !== undefined && bodyFile !== undefined)
    throw optionError('--body', 'must not be given together with --body-file')
  if (body === '-' || bodyFile === '-') return readInputBytes(io, MAX_FILE_BYTES)
  if (bodyFile !== undefined) return readBytes(bodyFile)
  return body === undefined ? undefined : new TextEncoder().encode(body)
}

/** Prints the request as a curl command. */
function printCurl(
  { method, url, headers }: SignedRequest,
  { body, authenticated }: UnsignedRequest,
  io: GuardedIo,
): void {
  const { 'x-access-token': _, ...others } = headers
  const token = authenticated ? OTHER_VARIABLES.accessToken : undefined
  io.out(curlCommand({ method, url, headers: others, token, body: body && curlBody(body) }))
}

/** Returns the body as text. @throws CliError `CLI_OPTION_INVALID` if the body cannot be written as text. */
function curlBody(body: Uint8Array): string {
  const text = toContent(body)
  if (!('body' in text) || text.body.includes('\0'))
    throw optionError('--curl', 'must have a body in UTF-8 without NUL: a shell command holds no other bytes')
  if (!fitsCurl(text.body))
    throw optionError(
      '--curl',
      'must have a body shorter than 100 KiB, the longest line that curl reads. Omit --curl',
    )
  return text.body
}
