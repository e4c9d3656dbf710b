/** URLs of servers, which may contain a password. */

/** A parsed URL. */
export interface ServerUrl {
  readonly url: URL
  /** Host and port, without secrets. */
  readonly server: string
}

/**
 * Parses the URL of a server. Its password is removed from all log lines.
 *
 * @returns `undefined` if the URL is invalid, has another scheme, or has no host.
 */
export function parseServerUrl(
  text: string,
  { schemes, port, keepSecret }: ServerUrlOptions,
): ServerUrl | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !schemes.includes(url.protocol) || url.hostname === '') return undefined
  const password = decode(url.password)
  if (password === undefined || decode(url.username) === undefined) return undefined
  keepSecret(url.password)
  keepSecret(password)
  return { url, server: `${url.hostname}:${url.port || port}` }
}

interface ServerUrlOptions {
  /** Accepted schemes, each with its colon. */
  readonly schemes: readonly string[]
  /** The default port. */
  readonly port: number
  readonly keepSecret: (secret: string) => void
}

/** Decodes percent escapes; `undefined` if they are invalid. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
