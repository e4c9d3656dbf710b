/**
 * An address of a service as an option: scheme, host and port, nothing else. The one reader of the house.
 *
 * Clear text is for loopback alone: a secret in a signature, a token in a header must not cross a network open. And
 * what `URL` would rewrite is refused: `https://h\evil` reads like another host than the one it connects to.
 */
import { describe } from './guards.ts'
import { type OptionFailure, readBoolean } from './options.ts'

declare const URL: new (
  text: string,
) => {
  readonly protocol: string
  readonly hostname: string
  readonly origin: string
  readonly href: string
  readonly username: string
  readonly password: string
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const ORIGIN = 'an origin such as https://host or https://host:port'

/**
 * The origin in an option, in the form in which it is sent: in lower case, without the default port and without the
 * slash behind it. Everything else that `URL` would rewrite is refused: backslashes, blanks and controls, credentials,
 * paths, other spellings of an address (`127.1`, `[0::1]`), letters that are not ASCII (a Punycode host is).
 *
 * @param allowInsecure - An option itself, of this name: takes `http:` on any host. Whoever is on the way then reads tokens
 * and may change what no signature covers. @defaultValue false
 */
export function readOrigin(
  fail: OptionFailure,
  option: string,
  value: unknown,
  allowInsecure?: boolean | undefined,
): string {
  const insecure = readBoolean(fail, 'allowInsecure', allowInsecure, false)
  const received = refusalOf(value, insecure)
  if (received === undefined) return new URL(value as string).origin
  throw fail(
    option,
    `${ORIGIN}${insecure ? '' : '; http: only on a loopback host, or with allowInsecure: true'}`,
    received,
  )
}

/** What is wrong about an origin, in words that do not show it. */
function refusalOf(value: unknown, insecure: boolean): string | undefined {
  if (typeof value !== 'string' || value === '') return describe(value)
  try {
    const { protocol, hostname, username, password, href, origin } = new URL(value)
    if (protocol !== 'https:' && !(protocol === 'http:' && (insecure || LOOPBACK.test(hostname))))
      return 'another scheme, or http: on a host that is not loopback'
    if (username + password) return 'a URL with credentials'
    if (href !== `${origin}/`) return 'a URL with a path, a query or a fragment'
    // Letter by letter, as toLowerCase makes ASCII of letters that are not.
    const written = value
      .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
      .replace(/\/$/, '')
      .replace(protocol === 'https:' ? /:443$/ : /:80$/, '')
    if (written !== origin) return 'a URL that is written in another way than it is sent'
  } catch {
    return 'a string that is no URL'
  }
  return undefined
}
