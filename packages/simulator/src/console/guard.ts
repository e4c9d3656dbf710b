/**
 * Access checks of the console. Requests must come from the console's own page, in a browser that opened the
 * printed address. The decisions depend only on the headers:
 *
 * - A request to another host name that resolves to this machine has a `Host` header with that name.
 * - A request from a form or a script of another page has another `Origin` or `Sec-Fetch-Site`. The browser
 * does not add the cookie to such a request, because the cookie is `SameSite`.
 * - Cookies ignore ports, so a server on another port of this machine would receive the cookie and could use
 * it. Therefore the page also sends a key as a header. It stores the key where only pages of the same origin,
 * which includes the port, can read it.
 */
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Secret } from '@brokerwire/core'
import { constantTimeEqual } from '../constant-time-equal.ts'

/** Reason and HTTP status of a rejected request. */
export interface Rejection {
  readonly status: 401 | 403
  readonly message: string
}

/** A session. Each request must have both the cookie and the key. */
export interface Session {
  /** Value of `set-cookie`. */
  readonly cookie: string
  /** Value of `x-console-key`. */
  readonly key: string
}

/**
 * Header of the key. A form cannot set this header, and a page of another origin could set it only after a
 * CORS preflight.
 */
const KEY_HEADER = 'x-console-key'

/** The checks of one console. */
export interface Guard {
  /** Checks the origin of any request. @returns `undefined` if the request is allowed. */
  checkOrigin(method: string, headers: IncomingHttpHeaders): Rejection | undefined
  /**
   * Checks the session of a request that reads or changes something.
   *
   * @returns `undefined` if the session is valid.
   */
  checkSession(headers: IncomingHttpHeaders): Rejection | undefined
  /** Creates a session if the token is right. Returns `undefined` if it is wrong. */
  sessionFor(token: string): Session | undefined
}

/** Headers of every response. The content policy allows only this server, and images in data URLs. */
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

/** Creates the checks. @param port - Returns the port of the console. */
export function createGuard(token: Secret, port: () => number): Guard {
  // Cookie and key are derived from the token, so that a session survives a restart with the same token. The
  // token cannot be recovered from them.
  const deriveSecret = (what: 'cookie' | 'key'): string =>
    createHmac('sha256', token.reveal()).update(`console ${what} ${port()}`).digest('hex')
  // Cookies ignore ports. Without the port in the name, the cookie would overwrite that of another simulator.
  const cookieName = (): string => `brokerwire-console-${port()}`
  return {
    checkOrigin(method, headers) {
      const { host = '', origin } = headers
      const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`]
      if (!hosts.includes(host)) return { status: 403, message: 'the Host header must name this machine' }
      const site = headers['sec-fetch-site']
      const isForeign =
        (origin !== undefined && origin !== `http://${host}`) ||
        (site !== undefined && site !== 'same-origin' && site !== 'none')
      const isNavigation =
        method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && origin === undefined
      // A link in another page may open the console, but only as a top-level document.
      if (isForeign && !(isNavigation && headers['sec-fetch-dest'] === 'document')) {
        return { status: 403, message: 'the request must come from the page of the console' }
      }
      if (method === 'GET' || method === 'HEAD') return undefined
      const isJson = headers['content-type']?.split(';', 1)[0] === 'application/json'
      if (origin !== undefined && isJson) return undefined
      return { status: 403, message: 'the request must be application/json from the page of the console' }
    },
    checkSession(headers) {
      const cookies = (headers.cookie ?? '').split('; ')
      const name = `${cookieName()}=`
      const given = cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length) ?? ''
      const key = headers[KEY_HEADER]
      const hasKey = typeof key === 'string' && constantTimeEqual(key, deriveSecret('key'))
      if (constantTimeEqual(given, deriveSecret('cookie')) && hasKey) return undefined
      return { status: 401, message: 'the session has ended; open the address that the simulator printed' }
    },
    sessionFor(given) {
      if (!constantTimeEqual(given, token.reveal())) return undefined
      const cookie = `${cookieName()}=${deriveSecret('cookie')}; HttpOnly; SameSite=Strict; Path=/`
      return { cookie, key: deriveSecret('key') }
    },
  }
}
