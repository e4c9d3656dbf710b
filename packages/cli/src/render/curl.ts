/** A request as a curl command. The signature stands in it, the token as a variable, the app secret never. */
import { quoted } from './shell.ts'

/** What a command is made of. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The variable that holds the access token. */
  readonly token: string | undefined
  readonly body: Uint8Array | undefined
}

/** The command, for bash and zsh. */
export function curlCommand({ method, url, headers, token, body }: CurlRequest): string {
  // --globoff: brackets of a query are no ranges. --path-as-is: what was signed is what is asked for.
  const parts = ['curl', '--globoff', '--path-as-is']
  if (method === 'HEAD') parts.push('--head')
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`--request ${method}`)
  for (const [name, value] of Object.entries(headers)) parts.push(`--header ${quoted(`${name}: ${value}`)}`)
  if (token !== undefined) parts.push(`--header "x-access-token: $${token}"`)
  if (body !== undefined)
    parts.push(`--data-binary ${quoted(new TextDecoder('utf-8', { fatal: true }).decode(body))}`)
  return [...parts, quoted(url)].join(' \\\n  ')
}
