/**
 * The session of the page. The token of the printed address is exchanged for a cookie that scripts cannot read, and for a key that
 * other origins cannot read. After that the token is invalid.
 */

const NAME = 'console-key'
/** The key. It is used if the browser does not allow `localStorage`. */
let kept = ''

/**
 * Returns the header with the key. Every request needs it in addition to the cookie, because browsers send a
 * cookie to all ports of a host.
 */
export function keyHeaders(): Readonly<Record<string, string>> {
  let key = kept
  try {
    key = localStorage.getItem(NAME) ?? kept
  } catch {}
  return { 'x-console-key': key }
}

/** Exchanges the token if the address has one. First removes the token from the address. */
export async function beginSession(): Promise<void> {
  const match = /^#token=([\w-]+)$/.exec(location.hash)
  if (match === null) return
  history.replaceState(null, '', `${location.pathname}#/overview`)
  dispatchEvent(new HashChangeEvent('hashchange'))
  // If the request fails or is rejected, the feed reports it.
  const response = await fetch('session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: match[1] }),
  }).catch(() => undefined)
  if (response?.ok !== true) return
  const { key } = (await response.json()) as { readonly key: string }
  kept = key
  try {
    localStorage.setItem(NAME, key)
  } catch {}
}
