/** Signs a request as it would be sent, and prints it instead of sending it. */
import { type Brokerage, createBrokerage } from '@brokerwire/client'
import { escapeControlChars, type FetchInit, type FetchLike, REDACTED, Secret } from '@brokerwire/core'
import type { GuardedIo } from '../io.ts'
import type { Connection } from '../settings/read-settings.ts'

/** A request of the HTTP client. */
export type HttpRequest = Parameters<Brokerage['http']['request']>[0]

/** A signed request that is not sent. */
export interface SignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/**
 * Validates and signs the request with the client itself, but sends nothing, so that errors are found before
 * the service is contacted. The token is not read, because it would not be shown.
 */
export async function signWithoutSending(
  request: HttpRequest,
  connection: Connection,
): Promise<SignedRequest> {
  let captured: SignedRequest = { method: '', url: '', headers: {}, body: undefined }
  const captureRequest: FetchLike = async (url: string, { method, headers, body }: FetchInit) => {
    captured = { method, url, headers, body }
    return new Response(null, { status: 204 })
  }
  await using brokerage = createBrokerage({ ...connection, http: { fetch: captureRequest } })
  const accessToken = request.authenticated === false ? undefined : new Secret(REDACTED)
  await brokerage.http.request({ ...request, accessToken })
  return captured
}

/** Keeps line breaks and escapes other control characters. */
const printableLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => escapeControlChars(line))
    .join('\n')

/** Prints a body as received. On a terminal, control characters except line breaks are escaped. */
export const printBody = (text: string, io: GuardedIo): void =>
  io.out(io.isOutTerminal ? printableLines(text) : text)

/** Prints the request in the form of HTTP. Secrets in the body are replaced. */
export function printRequest({ method, url, headers, body }: SignedRequest, io: GuardedIo): void {
  io.out(escapeControlChars(`${method} ${url}`))
  for (const [name, value] of Object.entries(headers)) io.out(escapeControlChars(`${name}: ${value}`))
  if (body !== undefined) io.out(`\n${printableLines(io.redact(new TextDecoder().decode(body)))}`)
}
