/**
 * Who may talk to the console: a page that came from it, in the browser of whoever was shown the address.
 *
 * Pure: the decisions are functions of the headers alone. A name that was rebound to this machine has another `Host`, a
 * form or script of another page another `Origin` or `Sec-Fetch-Site`, and neither has the cookie, which is `SameSite`.
 *
 * Cookies know no ports: a server on another port of this machine that the browser visits is sent the cookie, and could use
 * it. So the page has a key as well, which it keeps where only its own origin reads it, port and all, and sends as a header.
 */
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Secret } from '@brokerwire/core'
import { isSameText } from '../same-text.ts'

/** Why a request is refused, with its status. */
export interface Refusal {
  readonly status: 401 | 403
  readonly message: string
}

/** A session: both have to come with each request. */
export interface Session {
  /** For `set-cookie`. */
  readonly cookie: string
  /** For `x-console-key`. */
  readonly key: string
}

/** Where the page sends its key. No form can, and no page of another origin without being asked first. */
const KEY_HEADER = 'x-console-key'

/** Checks of one console. */
export interface Guard {
  /** Of every request. @returns `undefined`: it comes from here. */
  checkOrigin(method: string, headers: IncomingHttpHeaders): Refusal | undefined
  /** Of whatever shows or changes something. */
  checkSession(headers: IncomingHttpHeaders): Refusal | undefined
  /** What opens a session, for who knows the token. `undefined`: they do not. */
  sessionFor(token: string): Session | undefined
}

/** Sent with every answer. The policy allows this server alone, and images that stand in the page itself. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Makes the checks. @param port - Where the console listens. */
export function createGuard(token: Secret, port: () => number): Guard {
  // Of the token, so that they outlive a restart with the same one; not the token, so that they open nothing else.
  const madeFor = (what: 'cookie' | 'key'): string =>
    createHmac('sha256', token.reveal()).update(`console ${what} ${port()}`).digest('hex')
  // Cookies know no ports: another simulator's would be overwritten.
  const cookieName = (): string => `brokerwire-console-${port()}`
  return {
    checkOrigin(method, headers) {
      const { host = '', origin } = headers
      const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`]
      if (!hosts.includes(host)) return { status: 403, message: 'the console answers on this machine alone' }
      const site = headers['sec-fetch-site']
      const isForeign =
        (origin !== undefined && origin !== `http://${host}`) ||
        (site !== undefined && site !== 'same-origin' && site !== 'none')
      const isNavigation =
        method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && origin === undefined
      // A link to the console in another page opens it, as long as that shows it at the top.
      if (isForeign && !(isNavigation && headers['sec-fetch-dest'] === 'document')) {
        return { status: 403, message: 'the console takes no request of another page' }
      }
      if (method === 'GET' || method === 'HEAD') return undefined
      const isJson = headers['content-type']?.split(';', 1)[0] === 'application/json'
      if (origin !== undefined && isJson) return undefined
      return { status: 403, message: 'the console takes application/json from its own page alone' }
    },
    checkSession(headers) {
      const cookies = (headers.cookie ?? '').split('; ')
      const name = `${cookieName()}=`
      const given = cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length) ?? ''
      const key = headers[KEY_HEADER]
      const hasKey = typeof key === 'string' && isSameText(key, madeFor('key'))
      if (isSameText(given, madeFor('cookie')) && hasKey) return undefined
      return { status: 401, message: 'open the address that the simulator printed' }
    },
    sessionFor(given) {
      if (!isSameText(given, token.reveal())) return undefined
      const cookie = `${cookieName()}=${madeFor('cookie')}; HttpOnly; SameSite=Strict; Path=/`
      return { cookie, key: madeFor('key') }
    },
  }
}
