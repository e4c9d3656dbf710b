/**
 * Origins of a service as options: scheme, host and port, without other parts. `http:` is only for loopback
 * hosts, because other computers on the network can read tokens and signatures. A string that the class `URL`
 * would change is rejected, because it may connect to another host than the one that it shows, such as
 * `https://h\evil`.
 */
import { type OptionFailure, received } from './failure.ts'
import { boolean, type Schema } from './schema.ts'

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

const EXPECTED = 'an origin such as https://host or https://host:port'

/**
 * Checks an origin, and returns it in the form that is sent: lower case, without the default port and without
 * a slash at its end. Any other value that `URL` would change is rejected: backslashes, white space, control
 * characters, credentials, paths, other forms of an address (`127.1`, `[0::1]`) and letters that are not
 * ASCII. Punycode is accepted.
 */
export const origin: Schema<string> = (value, path, fail) => {
  const problem = problemOf(value)
  if (problem !== undefined) throw fail(path, EXPECTED, problem)
  return new URL(value as string).origin
}

/** Returns whether a URL's host is loopback: `localhost`, `127.0.0.0/8` or `[::1]`. */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** Rejects `http:` on hosts that are not loopback, unless the option `allowInsecure` is set. */
export function requireSecureOrigin(
  fail: OptionFailure,
  option: string,
  url: string,
  allowInsecure: boolean,
): void {
  const { protocol, hostname } = new URL(url)
  if (allowInsecure || protocol === 'https:' || isLoopback(hostname)) return
  throw fail(
    option,
    'an https: origin, or http: on a loopback host or with allowInsecure: true',
    'http: on another host',
  )
}

/**
 * Reads an origin with {@link origin} and {@link requireSecureOrigin}.
 *
 * @param allowInsecure - The value of the option with this name, which is checked too. Default: false.
 */
export function readOrigin(
  fail: OptionFailure,
  option: string,
  value: unknown,
  allowInsecure?: boolean | undefined,
): string {
  const isInsecureAllowed = boolean(false)(allowInsecure, 'allowInsecure', fail)
  const url = origin(value, option, fail)
  requireSecureOrigin(fail, option, url, isInsecureAllowed)
  return url
}

/** Returns the reason why a value is not an origin, without showing it. */
function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return received(value)
  try {
    const { protocol, username, password, href, origin } = new URL(value)
    if (protocol !== 'https:' && protocol !== 'http:') return 'a URL with another scheme'
    if (username + password) return 'a URL with credentials'
    if (href !== `${origin}/`) return 'a URL with a path, a query or a fragment'
    // Converts each letter separately, because toLowerCase turns some letters that are not ASCII into ASCII
    // letters.
    const written = value
      .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
      .replace(/\/$/, '')
      .replace(protocol === 'https:' ? /:443$/ : /:80$/, '')
    if (written !== origin) return 'a URL in another spelling than the one that is sent'
  } catch {
    return 'a string that is no URL'
  }
  return undefined
}
