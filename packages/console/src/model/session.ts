/**
 * The token of the printed address for a session: a cookie that no script sees, and a key that no other origin sees.
 * Afterwards the address opens nothing, and can be seen by anybody.
 */

const NAME = 'console-key'
/** Where the browser keeps nothing. */
let kept = ''

/** What is sent with every request: a cookie goes to all ports of a host, this to our own alone. */
export function keyHeaders(): Readonly<Record<string, string>> {
  let key = kept
  try {
    key = localStorage.getItem(NAME) ?? kept
  } catch {}
  return { 'x-console-key': key }
}

/** Takes the token out of the address before anything else happens, whatever becomes of it. */
export async function beginSession(): Promise<void> {
  const match = /^#token=([\w-]+)$/.exec(location.hash)
  if (match === null) return
  history.replaceState(null, '', `${location.pathname}#/overview`)
  dispatchEvent(new HashChangeEvent('hashchange'))
  // Refused, or nobody there: the feed says so.
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
